import { execFileSync } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { expect, test } from 'vitest'
import { KEY_PLACE } from '../samples/code-parts.ts'
import { samplesOf } from './operation-samples.ts'
import { readApi } from './operations.ts'

const PLACE = { baseUrl: 'https://gateway.example/api/v1', key: KEY_PLACE }
const api = readApi()
const all = api.operations.flatMap((operation) =>
  samplesOf(operation, PLACE).map((sample) => ({ ...sample, operation })),
)

test('every operation has code in three languages at least, which names where it goes and who pays', () => {
  for (const operation of api.operations) {
    const own = all.filter((sample) => sample.operation === operation)
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining(['curl', 'Python', 'Node']))
    for (const { code } of own) {
      expect(code).toContain('https://gateway.example/api')
      expect(code).not.toContain('undefined')
      expect(code.includes(KEY_PLACE)).toBe(operation.auth === 'key')
    }
  }
})

test('a shell can read every command', () => {
  const commands = all.filter(({ name }) => name === 'curl').map(({ code }) => code)
  expect(() => execFileSync('/bin/sh', ['-n'], { input: commands.join('\n') })).not.toThrow()
})

test('Node can read every script', () => {
  const scripts = all.filter(({ name }) => ['Node', 'Vercel AI SDK', 'LangChain'].includes(name))
  for (const { code } of scripts) expect(stripTypeScriptTypes(code)).toBe(code)
})

test('chat has code for the clients that people ask for', () => {
  const names = all.filter(({ operation }) => operation.id === 'createChatCompletion').map(({ name }) => name)
  expect(names).toEqual(['curl', 'Python', 'Node', 'Vercel AI SDK', 'LangChain'])
})
