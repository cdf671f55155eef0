/** The parts of the repository that are installed apart from it. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type LockFile, type Part, productionLock, withoutUnused, workspacesOf } from './production-lock.ts'

const SANDBOX = '@svc/sandbox'

/** What runs in an image, with and without the sandbox, and what is there while its programs and pages are built. */
export const parts = {
  gateway: { workspaces: ['packages/server'], without: [SANDBOX], isBuilt: false },
  sandbox: { workspaces: ['packages/server'], without: [], isBuilt: false },
  build: { workspaces: ['packages/console', 'packages/server'], without: [], isBuilt: true },
} as const satisfies Readonly<Record<string, Part>>

export type PartName = keyof typeof parts

/** The lock file of a part. @param root the folder of the repository. */
export function readPartLock(root: string, name: PartName): LockFile {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as LockFile
  return productionLock(lock, parts[name])
}

/**
 * Writes the manifests and the lock file of a part into a folder, where `npm ci` installs just that.
 *
 * @param root the folder of the repository.
 */
export function writePart(root: string, name: PartName, folder: string): void {
  const lock = readPartLock(root, name)
  const { '': manifest } = lock.packages
  mkdirSync(folder, { recursive: true })
  writeJson(path.join(folder, 'package-lock.json'), lock)
  const { license, engines } = readManifest(root)
  writeJson(path.join(folder, 'package.json'), { ...manifest, private: true, license, type: 'module', engines })
  for (const workspace of workspacesOf(Object.keys(lock.packages))) {
    mkdirSync(path.join(folder, workspace), { recursive: true })
    const { scripts: _scripts, ...own } = readManifest(path.join(root, workspace))
    writeJson(path.join(folder, workspace, 'package.json'), withoutUnused(own, parts[name]))
  }
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
}

function readManifest(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}
