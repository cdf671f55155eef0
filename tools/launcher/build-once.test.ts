import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildOnce } from '../../packages/server/build/build-once.mjs'

let root: string
const at = (...names: string[]): string => path.join(root, ...names)
const builds = (): string => readFileSync(at('part/built.txt'), 'utf8')

/** What is built here is a file that has one more character after each build. */
const build = (program = 'builder.mjs'): Promise<void> =>
  buildOnce({
    ...{ name: 'part', root, sources: ['part/src', 'lock.json'], folder: at('part/dist') },
    ...{ program: at(program), words: [at('part/built.txt')], node: process.execPath },
  })

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svc-build-'))
  for (const folder of ['node_modules', 'part/src/room', 'part/dist']) mkdirSync(at(folder), { recursive: true })
  writeFileSync(at('part/src/room/a.ts'), 'a')
  writeFileSync(at('builder.mjs'), `import fs from 'node:fs'; fs.appendFileSync(process.argv[2], 'x')`)
  writeFileSync(at('failing.mjs'), 'process.exit(1)')
})
afterAll(() => rmSync(root, { recursive: true }))

test('what is built is built once, however many ask, and again when a source changed', async () => {
  await Promise.all([build(), build(), build()])
  expect(builds()).toBe('x')
  // A test is no source, and what was not there may come.
  writeFileSync(at('part/src/room/a.test.ts'), 'tests a')
  await build()
  expect(builds()).toBe('x')
  writeFileSync(at('lock.json'), '{}')
  await build()
  utimesSync(at('part/src/room/a.ts'), 1, 1)
  await build()
  expect(builds()).toBe('xxx')
})

test('sources that do not build are an error, and the next who asks builds them', async () => {
  writeFileSync(at('part/src/b.ts'), 'b')
  await expect(build('failing.mjs')).rejects.toThrow('The part could not be built')
  await build()
  expect(builds()).toBe('xxxx')
})
