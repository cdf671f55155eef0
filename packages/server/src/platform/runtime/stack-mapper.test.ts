import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { createStackMapper, type StackFrame } from './stack-mapper.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-stack-'))
const address = (name: string): string => pathToFileURL(join(folder, name)).href
afterAll(() => rmSync(folder, { recursive: true }))

// The first character of the file comes from the first of `a.ts`, the eleventh from the second line of a package, and
// the sixteenth from no source.
writeFileSync(
  join(folder, 'built.js.map'),
  JSON.stringify({ version: 3, sources: ['src/a.ts', 'node_modules/b/b.js'], names: [], mappings: 'AAAA,UCCA,K;' }),
)

/** A frame as V8 gives it, as far as the mapper looks at it. */
const frameAt = (file: string, line: number, column: number): StackFrame => ({
  getFileName: () => file,
  getLineNumber: () => line,
  getColumnNumber: () => column,
  toString: () => `work (${file}:${line}:${column})`,
})

test('a frame of a built file names its source, and every other stays', () => {
  const write = createStackMapper(address(''))
  const elsewhere = 'file:///elsewhere/c.js'
  const frames = [
    frameAt(address('built.js'), 1, 5),
    frameAt(address('built.js'), 1, 12),
    frameAt(address('built.js'), 1, 17),
    frameAt(address('without-map.js'), 3, 4),
    frameAt(elsewhere, 1, 1),
  ]
  expect(write(new TypeError('It failed.'), frames).split('\n')).toEqual([
    'TypeError: It failed.',
    `    at work (${address('src/a.ts')}:1:1)`,
    `    at work (${address('built.js')}:1:12)`,
    `    at work (${address('built.js')}:1:17)`,
    `    at work (${address('without-map.js')}:3:4)`,
    `    at work (${elsewhere}:1:1)`,
  ])
})

test('an error that cannot be told is no reason for another one', () => {
  const hostile = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('y')
    },
  })
  expect(createStackMapper(address(''))(hostile, [])).toBe('<error>')
})
