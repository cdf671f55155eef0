/**
 * Every regular expression of the product takes time that grows with its text alone: one that backtracks over a long
 * text from each of its places stops the whole process, and the client that sends a header chooses the text.
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findPatterns, type FoundPattern, repeatsWithoutEnd } from '../tools/tidy/patterns.ts'
import { parseSource } from '../tools/tidy/source-file.ts'
import { readTree } from '../tools/tidy/tree.ts'

/** Where the checker's packages have names of their own for a system. */
const SYSTEMS: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' }

function hasCheckerProgram(): boolean {
  const system = SYSTEMS[process.platform] ?? process.platform
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('recheck'))
  try {
    return resolve(`recheck-${system}-${process.arch}/package.json`) !== ''
  } catch {
    return false
  }
}

// Its program for this machine takes a fifth of the work that it takes in JavaScript, and is not made for every one.
process.env['RECHECK_BACKEND'] = hasCheckerProgram() ? 'native' : 'pure'
const { check } = await import('recheck')

const root = path.dirname(import.meta.dirname)
const patterns = readTree(root)
  .filter((file) => /^packages\/[^/]+\/(?:src\/|[\w-]+\.ts)/.test(file.path) && /\.tsx?$/.test(file.path))
  .map(parseSource)
  .filter(({ isTest }) => !isTest)
  .flatMap(findPatterns)

/** Patterns that are made when the program runs, and why each is linear. */
const made: Readonly<Record<string, string>> = {
  'packages/cli/src/images/show-image.ts': 'Cuts a text of its own making into pieces.',
  'packages/contract/src/console/team-money.ts': 'Anchored, and of a fixed length.',
  'packages/contract/src/record-id.ts': 'Anchored, and of a fixed length.',
  'packages/server/src/platform/audio/speech-format.ts':
    'Meets the content type of an upstream, which is cut to a length.',
  'packages/server/src/platform/json/write-in-turns.ts': 'Finds marks of its own making, each by a fixed beginning.',
}

/** Files whose patterns the checker does not look at, and why. */
const excused: Readonly<Record<string, string>> = {
  'packages/contract/src/scrub-secrets.ts':
    'Takes the checker too long; their growth is measured by a test of their own.',
  'packages/sandbox/src/transcripts/language-model.ts': 'Meets the word list that comes with the package alone.',
}

/** Each pattern once. */
function distinct(): readonly FoundPattern[] {
  return [...new Map(patterns.map((found) => [found.text, found])).values()]
}

test('the patterns were found', () => {
  expect(patterns.length).toBeGreaterThan(250)
})

test('a pattern that is made when the program runs is known, with the reason why it is linear', () => {
  const unknown = patterns.filter(({ pattern, path: file }) => pattern === null && made[file] === undefined)
  expect(unknown.map(({ path: file, text }) => `${file}: ${text}`)).toEqual([])
})

test('a file that is excused has patterns', () => {
  const files = new Set(patterns.map(({ path: file }) => file))
  expect([...Object.keys(made), ...Object.keys(excused)].filter((file) => !files.has(file))).toEqual([])
})

test('no pattern takes more time than its text is long', async () => {
  const slow: string[] = []
  for (const { path: file, pattern, flags, text } of distinct()) {
    if (pattern === null || !repeatsWithoutEnd(pattern) || excused[file] !== undefined) continue
    const checked = await check(pattern, flags, { timeout: 30_000 })
    if (checked.status === 'safe') continue
    const found = checked.status === 'vulnerable' ? checked.complexity.summary : 'not decided'
    slow.push(`${file}: ${text} is ${found}`)
  }
  expect(slow).toEqual([])
})
