import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { Program } from 'oxc-parser'
import { roomOf } from './room-of.ts'
import type { TextFile } from './tree.ts'

/** One import, re-export or `import()` with a constant name. */
export interface Import {
  /** As written. */
  readonly specifier: string
  /** Path from the root of the repository for a relative import; null for a package. */
  readonly target: string | null
  /** Whether nothing of it is left at run time. */
  readonly typeOnly: boolean
  /** Whether it is loaded only when its place is reached. */
  readonly isDynamic: boolean
}

/** A parsed TypeScript file, and where in the tree it belongs. */
export interface SourceFile extends TextFile {
  readonly program: Program
  readonly imports: readonly Import[]
  /** `server` for a file under `packages/server`; null outside the packages. */
  readonly packageName: string | null
  /** Its room of the server; null elsewhere. */
  readonly room: string | null
  /** A test, or something that only tests use. */
  readonly isTest: boolean
}

/** @throws {Error} when the file is not TypeScript: a rule must not pass because nothing could be read. */
export function parseSource(file: TextFile): SourceFile {
  const parsed = parseSync(file.path, file.text)
  if (parsed.errors.length > 0) throw new Error(`${file.path}: ${parsed.errors[0]?.message}`)
  const [, packageName = null] = /^packages\/([^/]+)\//.exec(file.path) ?? []
  return {
    ...file,
    program: parsed.program,
    imports: listImports(file, parsed.module),
    packageName,
    room: roomOf(file.path),
    isTest: /\.test\.tsx?$/.test(file.path) || /^packages\/[^/]+\/testing\//.test(file.path) || !packageName,
  }
}

function listImports(file: TextFile, module: ReturnType<typeof parseSync>['module']): Import[] {
  const found: Omit<Import, 'target'>[] = []
  for (const { moduleRequest, entries } of module.staticImports) {
    found.push({
      specifier: moduleRequest.value,
      typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
      isDynamic: false,
    })
  }
  for (const { moduleRequest, isType } of module.staticExports.flatMap((statement) => statement.entries)) {
    if (moduleRequest !== null) found.push({ specifier: moduleRequest.value, typeOnly: isType, isDynamic: false })
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const [, specifier] = /^['"`]([^'"`$]+)['"`]$/.exec(file.text.slice(moduleRequest.start, moduleRequest.end)) ?? []
    if (specifier !== undefined) found.push({ specifier, typeOnly: false, isDynamic: true })
  }
  return found.map((each) => ({
    ...each,
    target: each.specifier.startsWith('.') ? posix.join(posix.dirname(file.path), each.specifier) : null,
  }))
}
