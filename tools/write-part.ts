/**
 * `node tools/write-part.ts PART FOLDER`: writes the manifests and the lock file of a part of the repository
 * (`gateway`, `sandbox` or `build`) into a folder, where `npm ci` then installs just that. Needs no package.
 */
import path from 'node:path'
import { type PartName, parts, writePart } from './production/parts.ts'

const [name = '', folder] = process.argv.slice(2)
if (!isPart(name) || folder === undefined) {
  process.stderr.write(`Usage: node tools/write-part.ts ${Object.keys(parts).join('|')} FOLDER\n`)
  process.exit(2)
}
writePart(path.dirname(import.meta.dirname), name, folder)

function isPart(text: string): text is PartName {
  return Object.hasOwn(parts, text)
}
