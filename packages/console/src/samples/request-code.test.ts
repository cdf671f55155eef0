import { execFileSync } from 'node:child_process'
import { stripTypeScriptTypes } from 'node:module'
import { modelTypes } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { python, shellText } from './literals.ts'
import { samplesFor } from './code-samples.ts'
import { KEY_PLACE } from './code-parts.ts'
import { chatCode, imageCode, speechCode, transcriptionCode } from './request-code.ts'
import { videoCode } from './video-code.ts'

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
  const scripts = all.filter(({ name }) => ['Node', 'Vercel AI SDK', 'LangChain'].includes(name))
  expect(scripts).toHaveLength(21)
  for (const { code } of scripts) expect(stripTypeScriptTypes(code)).toBe(code)
})

// What is elided would be sent, and charged, without what was meant.
test('code with a picture reads it from a file, and sends the very request', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-samples-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bytes = Buffer.alloc(300_000, 'picture')
  writeFileSync(path.join(folder, 'file-1.png'), bytes)
  const picture = `data:image/png;base64,${bytes.toString('base64')}`
  const long = HOSTILE.repeat(200)
  const content = [
    { type: 'text', text: long },
    { type: 'image_url', image_url: { url: picture } },
    { type: 'image_url', image_url: { url: picture } },
  ]
  const body = { model: 'm', messages: [{ role: 'user', content }], temperature: 0.5 }
  const samples = new Map(chatCode(BASE, body).map((sample) => [sample.name, sample]))
  for (const { code, install } of samples.values()) {
    expect(code.length).toBeLessThan(long.length * 3)
    expect(install).toContain('file-1.png')
  }
  const printed = (samples.get('curl')?.code ?? '').replace(/\| curl [^]*$/, '')
  const sent = execFileSync('/bin/sh', ['-c', printed], { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 24 })
  expect(JSON.parse(sent)).toEqual(body)

  const node = samples.get('Node')?.code ?? ''
  const given = node.slice(node.indexOf('create(') + 'create('.length, node.lastIndexOf(')\nconsole.log'))
  const script = `import { readFileSync } from 'node:fs'\nprocess.stdout.write(JSON.stringify(${given}))`
  const ran = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    ...{ cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 24 },
  })
  expect(JSON.parse(ran)).toEqual(body)
  expect(samples.get('Python')?.code).toContain('b64encode(open("file-1.png", "rb").read()).decode()')
  for (const name of ['Node', 'Vercel AI SDK']) expect(stripTypeScriptTypes(samples.get(name)?.code ?? '')).not.toBe('')
})

test('code with a recording, tools and a schema is code that sends them', () => {
  const data = Buffer.alloc(3_000, 'sound').toString('base64')
  const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
  const body = {
    model: 'm',
    messages: [
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'mp3' } }] },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '3' },
    ],
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
    stream: true,
  }
  const samples = new Map(chatCode(BASE, body).map((sample) => [sample.name, sample.code]))
  for (const name of ['Node', 'Vercel AI SDK', 'LangChain']) {
    const code = samples.get(name) ?? ''
    expect(stripTypeScriptTypes(code)).toBe(code)
    expect(code).toContain("readFileSync('file-1.mp3', 'base64')")
    for (const part of ['low', 'json_schema', 'add']) expect(code).toContain(part)
  }
  expect(samples.get('Python')).toContain('b64encode(open("file-1.mp3", "rb").read()).decode()')
  expect(samples.get('Vercel AI SDK')).toContain('toolName')
  execFileSync('/bin/sh', ['-n', '-c', samples.get('curl') ?? ''])
})

test('Python has its own words', () => {
  const literal = python({ a: [true, null, 1.5, 'x"y'], b: {}, c: [] })
  expect(literal.replaceAll(/\s+/g, ' ')).toBe('{ "a": [ True, None, 1.5, "x\\"y", ], "b": {}, "c": [], }')
})

test('no sample holds a key', () => {
  for (const { code } of all) expect(code).not.toContain('sk-svc-')
})
