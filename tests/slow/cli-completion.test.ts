/** Completions as a shell gets them: by the script for bash, and by the command that every script asks. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'
import { createSvc, type Svc, SVC_PROGRAM } from '../run-svc.ts'

const run = promisify(execFile)
const KEY = 'sk-svc-of-a-test-0123456789'

let gateway: Server
let baseUrl: string
let svc: Svc
/** Keys of the requests so far. */
let asked: (string | undefined)[]
let answer: (response: ServerResponse) => void

function sendModels(response: ServerResponse, ids: readonly string[]): void {
  const data = ids.map((id) => ({ id, name: id, svc: { type: id.includes('image') ? 'image' : 'text' } }))
  response.end(JSON.stringify({ object: 'list', data }))
}

beforeEach(async () => {
  asked = []
  answer = (response) => sendModels(response, ['svc-gpt', 'svc-image', 'openrouter/x/y:free', 'openrouter/x/y:fast'])
  gateway = createServer((request, response) => {
    asked.push(request.headers.authorization)
    answer(response)
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/api`
  svc = createSvc({ SVC_BASE_URL: baseUrl, SVC_API_KEY: KEY })
})
afterEach(() => {
  svc.remove()
  gateway.closeAllConnections()
  gateway.close()
})

const complete = async (...words: string[]): Promise<string[]> => {
  const { code, out, notes } = await svc(['__complete', '--', ...words])
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  return out.split('\n').slice(0, -1)
}
test('a list that was read is offered without a key, too', async () => {
  const env = { SVC_API_KEY: '' }
  await svc(['models'], { env })
  expect(await svc(['__complete', '--', 'chat', '-m', 'svc-'], { env })).toMatchObject({ code: 0, out: 'svc-gpt\n' })
  expect(await complete('image', '--model=svc')).toEqual(['--model=svc-image'])
  expect(asked).toEqual([undefined])
})

test('a gateway that is silent is waited for for a moment, once', async () => {
  const silent: ServerResponse[] = []
  answer = (response) => void silent.push(response)
  expect(await complete('chat', '-m', '')).toEqual([])
  expect(await complete('chat', '-m', '')).toEqual([])
  expect(silent).toHaveLength(1)
})

test('wrong settings offer nothing, without a word', async () => {
  mkdirSync(path.join(svc.folder, 'svc'), { recursive: true })
  writeFileSync(path.join(svc.folder, 'svc/profiles.json'), 'broken')
  expect(await complete('chat', '-m', '')).toEqual([])
  expect(await complete('chat', '--profile', '')).toEqual([])
  expect(asked).toEqual([])
})

// Bash parts words at colons and equals signs; what it is answered must fit behind the last of them.
test('bash completes names with colons, values behind an equals sign, and files', async () => {
  await svc(['models'])
  const { out: script } = await svc(['completion', 'bash'])
  const lines = [
    ['svc', 'chat', '-m', 'openrouter/x/y', ':', 'fr'],
    ['svc', 'chat', '-m', 'openrouter/x/y', ':'],
    ['svc', 'chat', '--model', '=', 'svc-'],
    ['svc', 'chat', '--base-url', 'http', ':', '//127.0.0.1', ':', baseUrl.slice(17), '-m', 'svc-g'],
    ['svc', 'speak', '--output', '=', 'ARCHI'],
    ['svc', 'ba'],
  ]
  const quoted = (word: string): string => `'${word}'`
  const body = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map(quoted).join(' ')}) COMP_CWORD=${words.length - 1}; _svc; echo "\${COMPREPLY[*]}"`,
  )
  const program = `svc() { '${process.execPath}' '${SVC_PROGRAM}' "$@"; }\n${script}\n${body.join('\n')}`
  const env = { ...childEnvironment(), XDG_CONFIG_HOME: svc.folder, SVC_BASE_URL: baseUrl, SVC_API_KEY: KEY }
  const { stdout, stderr } = await run('bash', ['--norc', '-c', program], {
    env,
    cwd: path.join(import.meta.dirname, '../..'),
  })
  expect(stderr).toBe('')
  expect(stdout.split('\n').slice(0, -1)).toEqual([
    'free',
    'free fast',
    'svc-gpt',
    'svc-gpt',
    'ARCHITECTURE.md',
    'balance',
  ])
})
