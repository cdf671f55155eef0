/** The matrix of clients says what failed and what was not tried, and never takes silence for success. */
import { expect, test } from 'vitest'
import { agents } from '../proof/clients/agent-list.ts'
import type { Client, ClientResult } from '../proof/clients/client.ts'
import { libraries } from '../proof/clients/library-list.ts'
import { renderMatrix, replaceMatrix } from '../proof/clients/render-matrix.ts'

const client: Client = {
  ...{ kind: 'library', language: 'python', name: 'some-client', script: 'some.py' },
  packages: ['some==1.2.3'],
}
const row = (result: Omit<ClientResult, 'client'>): string[] =>
  renderMatrix([{ client, ...result }], '2026-11-30').split('\n')

test('a feature that failed once is a no, and its reason stands below', () => {
  const results = [
    { feature: 'chat', passed: true },
    { feature: 'stream', passed: true },
    { feature: 'stream', passed: false, why: 'it broke\noff' },
  ] as const
  const lines = row({ missing: null, results })
  expect(lines.find((line) => line.startsWith('| **some-client**'))).toMatch(
    /^\| \*\*some-client\*\* some==1\.2\.3 \| yes \| \*\*no\*\* \| {2}\|/,
  )
  expect(lines.at(-1)).toBe('- some-client, stream: it broke off')
})

test('a client that could not be installed is named with the reason', () => {
  const lines = row({ missing: 'there is no python3', results: [] })
  expect(lines.find((line) => line.startsWith('| **some-client**'))).toContain('| ? | ? |')
  expect(lines.at(-1)).toBe('- some-client could not be installed: there is no python3')
})

test('a document without marks is refused', () => {
  expect(() => replaceMatrix('# Clients', 'table')).toThrow('has no')
})

test('every client is pinned, and has a name of its own', () => {
  const all: readonly Client[] = [...libraries, ...agents]
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.flatMap(({ packages }) => packages).filter((each) => !/(==|@v?)\d+\.\d+(\.\d+)?$/.test(each))).toEqual([])
})
