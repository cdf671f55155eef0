/** `npm run sbom`: the bill of materials of what runs in production, as CycloneDX. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { readOptions } from '../packages/server/src/app/read-options.ts'
import { oneOf, someText } from '../packages/server/src/platform/runtime/program-options.ts'
import { writeLine } from '../packages/server/src/platform/runtime/write-line.ts'
import { billOfMaterials } from './production/ask-npm.ts'

const { of, output } = readOptions({
  name: 'npm run sbom --',
  does: 'Prints the bill of materials of the production packages, as CycloneDX in JSON.',
  options: {
    of: oneOf(['gateway', 'sandbox'], { help: 'the gateway alone, or with the sandbox' }),
    output: someText('file', { help: 'write it into a file instead' }),
  },
})
const bill = await billOfMaterials(path.dirname(import.meta.dirname), of === 'sandbox' ? 'sandbox' : 'gateway')
if (output === null) writeLine(process.stdout, bill.trimEnd())
else await writeFile(output, bill)
