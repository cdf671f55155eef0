import type { Finding } from './finding.ts'
import type { TextFile } from './tree.ts'

/** A file of 300 lines is long already; the room above is there so that code is not folded to fit. */
const FILE_LINES = 400
const TEST_LINES = 600
/** A function in SQL is one statement that cannot be split over files. */
const SQL_LINES = 500

/** Names that say nothing about what is inside. */
const DRAWERS = /^(utils?|helpers?|common|misc|shared|managers?|base|types|index|lib)$/

const isCode = (path: string): boolean => /\.(ts|tsx|mjs|sql)$/.test(path)

/** Files and folders whose names are drawers, or are not in kebab-case. */
export function findBadNames(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path) && path !== 'packages/contract/src/index.ts')
    .flatMap(({ path }) =>
      path.split('/').flatMap((part) => {
        const name = part.replace(/(\.test|\.config|\.worker|\.d)?\.(ts|tsx|mjs|sql)$/, '')
        if (DRAWERS.test(name)) return [{ path, message: `${part} says nothing about what is inside` }]
        const isPlain = /^\.?[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name === '__fixtures__'
        return isPlain ? [] : [{ path, message: `${part} is not in kebab-case` }]
      }),
    )
}

/** Files that are too long. The formatter decides the width of lines. Data and prose have no limit. */
export function findBadSizes(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n').length - 1
      const limit = /\.test\.tsx?$/.test(path) ? TEST_LINES : path.endsWith('.sql') ? SQL_LINES : FILE_LINES
      return lines > limit ? [{ path, message: `${lines} lines; at most ${limit}` }] : []
    })
}

/** JavaScript under a `src`: left over from a build, it would be loaded in place of the source. */
export function findBuiltFiles(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => /^packages\/[^/]+\/src\/.*\.(js|mjs|cjs|d\.ts)$/.test(path))
    .map(({ path }) => ({ path, message: 'is not TypeScript source' }))
}

/** Work that is noted in a comment and nowhere else. */
export function findLooseEnds(files: readonly TextFile[]): Finding[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => /\b(TODO|FIXME|XXX|HACK)\b(?!\s*\(#\d+\))/.test(line) && !/\\b\(TODO/.test(line))
      .map((line) => ({ path, message: `an open end without an issue number, like (#12): ${line.trim()}` })),
  )
}
