import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'

/** A text file of the repository, by its path from the root with forward slashes. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** What was generated, not written. */
const SKIPPED = new Set(['.git', '.svc', '.vscode', '.idea', 'node_modules', 'dist', 'coverage'])

const TEXT = new Set([
  '.ts',
  '.tsx',
  '.mjs',
  '.js',
  '.json',
  '.md',
  '.sql',
  '.html',
  '.css',
  '.yml',
  '.yaml',
  '.sh',
  '.txt',
  '',
])

/** Reads every text file of the repository, sorted by path. */
export function readTree(root: string): readonly TextFile[] {
  return listFiles(resolve(root))
    .filter((file) => TEXT.has(extname(file)))
    .map((file) => ({ path: relative(root, file).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (SKIPPED.has(entry.name) || entry.name.startsWith('.install.lock')) return []
    if (entry.isDirectory()) return listFiles(path)
    return entry.isFile() ? [path] : []
  })
}
