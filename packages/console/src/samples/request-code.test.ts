import { execFileSync } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { modelTypes } from '@svc/contract'
import { expect, test } from 'vitest'
import { python, shellText, shortened } from './literals.ts'
import { samplesFor } from './code-samples.ts'
import { KEY_PLACE } from './code-parts.ts'
import { chatCode, imageCode, speechCode, transcriptionCode, videoCode } from './request-code.ts'

const BASE = { baseUrl: 'http://localhost:8787/api/v1', key: KEY_PLACE }
/** Everything that ends a text in some language. */
const HOSTILE = `it's "a" \\ \`b\` $(rm -rf x) \${c} \n%s </script> '''`

const all = [
  ...chatCode(BASE, { model: 'm', messages: [{ role: 'user', content: HOSTILE }], temperature: 0.5, stream: true }),
  ...modelTypes.flatMap((kind) => samplesFor(kind, { ...BASE, model: 'm' })),
  ...imageCode(BASE, { model: 'm', prompt: HOSTILE, n: 2 }, 0),
  ...imageCode(BASE, { model: 'm', prompt: HOSTILE }, 2),
  ...videoCode(BASE, { model: 'm', prompt: HOSTILE, generate_audio: true }),
  ...speechCode(BASE, { model: 'm', input: HOSTILE, response_format: 'wav' }),
  ...transcriptionCode(BASE, { model: 'm', prompt: HOSTILE, 'timestamp_granularities[]': ['word'] }),
]

test('a shell passes the text on unchanged, whatever is in it', () => {
  const echoed = execFileSync('/bin/sh', ['-c', `printf %s ${shellText(HOSTILE)}`], { encoding: 'utf8' })
  expect(echoed).toBe(HOSTILE)
})

test('every curl sample is a command that a shell can read', () => {
  const commands = all.filter(({ name }) => name === 'curl')
  expect(commands).toHaveLength(14)
  for (const { code } of commands) execFileSync('/bin/sh', ['-n', '-c', code])
})

test('a body in a curl sample is the JSON of the request', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: HOSTILE }] }
  const code = chatCode(BASE, body)[0]?.code.replace(/^curl /, 'printf "%s\\n" ') ?? ''
  const printed = execFileSync('/bin/sh', ['-c', code], { encoding: 'utf8' })
  expect(JSON.parse(printed.slice(printed.indexOf('{'), printed.lastIndexOf('}') + 1))).toEqual(body)
})

test('every sample for Node is code that Node can read', () => {
  const scripts = all.filter(({ name }) => name === 'Node' || name === 'Vercel AI SDK')
  expect(scripts).toHaveLength(19)
  for (const { code } of scripts) expect(stripTypeScriptTypes(code)).toBe(code)
})

test('Python has its own words, and long texts are shortened', () => {
  const literal = python({ a: [true, null, 1.5, 'x"y'], b: {}, c: [] })
  expect(literal.replaceAll(/\s+/g, ' ')).toBe('{ "a": [ True, None, 1.5, "x\\"y", ], "b": {}, "c": [], }')
  expect(JSON.stringify(shortened({ url: `data:${'A'.repeat(10_000)}` })).length).toBeLessThan(150)
})

test('no sample holds a key', () => {
  for (const { code } of all) expect(code).not.toContain('sk-svc-')
})
