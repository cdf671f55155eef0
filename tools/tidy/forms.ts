import type { Finding } from './finding.ts'
import type { TextFile } from './tree.ts'

const FILE_LINES = 300
const TEST_LINES = 500
/** A function in SQL is one statement that cannot be split over files. */
const SQL_LINES = 500
const LINE_LENGTH = 120

/** Names that say nothing about what is inside. */
const DRAWERS = /^(utils?|helpers?|common|misc|shared|managers?|base|types|index|lib)$/

const isCode = (path: string): boolean => /\.(ts|tsx|mjs|sql)$/.test(path)

/** Files and folders whose names are drawers, or are not in kebab-case. */
export function findBadNames(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path) && path !== 'packages/contract/src/index.ts')
    .flatMap(({ path }) =>
      path.split('/').flatMap((part) => {
        const name = part.replace(/(\.test|\.config|\.worker)?\.(ts|tsx|mjs|sql)$/, '')
        if (DRAWERS.test(name)) return [{ path, message: `${part} says nothing about what is inside` }]
        const isPlain = /^\.?[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name === '__fixtures__'
        return isPlain ? [] : [{ path, message: `${part} is not in kebab-case` }]
      }),
    )
}

/** Files and lines that are too long. Data and prose have no limit. */
export function findBadSizes(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => isCode(path))
    .flatMap(({ path, text }) => {
      const lines = text.split('\n')
      const limit = /\.test\.tsx?$/.test(path) ? TEST_LINES : path.endsWith('.sql') ? SQL_LINES : FILE_LINES
      const tooMany = lines.length - 1 > limit ? [{ path, message: `${lines.length - 1} lines; at most ${limit}` }] : []
      const tooLong = lines.flatMap((line, index) =>
        line.length > LINE_LENGTH ? [{ path, message: `line ${index + 1} has ${line.length} characters` }] : [],
      )
      return [...tooMany, ...tooLong]
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
