/**
 * Codex CLI with its own defaults: a whole loop in which the model edits a file. It is a program of 150 MB, so that it
 * is fetched here and is no dependency.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'
import {
  beginStream,
  chunkText,
  sendEvent,
  sendStream,
  usageText,
} from '../../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'

const VERSION = '0.171.0'
const usage = { prompt_tokens: 100, completion_tokens: 20 }
/** A model that Codex does not know, and one that it knows: what it offers depends on that. */
const models = ['some-model', 'gpt-5.6-sol'] as const
const stub = useStubUpstream()
stub.onOther = (_call, response) => {
  const data = models.map((id) => ({ id, object: 'model', created: 1 }))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
}
const gateway = useGateway(() => ({
  ...{ upstreamUrl: stub.url, kind: 'openai-compatible', credits: '1000' },
  file: { prices: Object.fromEntries(models.map((id) => [id, { input: '1', output: '1' }])) },
}))
let folder = ''

interface Ran {
  readonly code: number | null
  readonly out: string
}

function run(command: string, words: readonly string[], more: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<Ran> {
  const env = { ...childEnvironment(), ...more.env }
  const child = spawn(command, words, { cwd: more.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  child.stdout.on('data', (piece: Buffer) => void (out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => void (out += piece.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })))
}

beforeAll(async () => {
  // Codex refuses a home below the folder for temporary files.
  folder = await mkdtemp(path.join(process.env['HOME'] ?? tmpdir(), '.svc-codex-'))
  // With the settings of the machine: they say where its registry is.
  const inside = { cwd: folder, env: process.env }
  const installed = await run('npm', ['install', '--prefix', folder, `@openai/codex@${VERSION}`], inside)
  if (installed.code !== 0) throw new Error(installed.out)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(() => void (stub.chats.length = 0))

const EDIT = "printf 'new\\n' > note.txt"

interface Loop {
  readonly model: (typeof models)[number]
  /** What the gateway calls the tool by which the model edits, and its arguments. */
  readonly tool: string
  readonly input: object
}

async function edit({ model, tool, input }: Loop): Promise<void> {
  stub.onChat = ({ json }, response) => {
    const isDone = JSON.stringify(json?.['messages']).includes('"role":"tool"')
    if (isDone) return sendStream(response, { words: ['It is ', 'done.'], usage })
    const called = { name: tool, arguments: JSON.stringify(input) }
    beginStream(response)
    const delta = { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }
    for (const data of [chunkText(delta), chunkText({}, 'tool_calls'), usageText(usage), '[DONE]']) {
      sendEvent(response, data)
    }
    response.end()
  }
  const [home, work] = [path.join(folder, `home-${model}`), path.join(folder, `work-${model}`)]
  await Promise.all([mkdir(home), mkdir(work)])
  await writeFile(path.join(work, 'note.txt'), 'old\n')
  await writeFile(path.join(home, 'config.toml'), config(model))
  const words = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Edit note.txt.']
  const codex = path.join(folder, 'node_modules/.bin/codex')
  const ran = await run(codex, words, { cwd: work, env: { CODEX_HOME: home, SVC_API_KEY: gateway.key } })
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('It is done.') })
  expect(await readFile(path.join(work, 'note.txt'), 'utf8')).toBe('new\n')
  expect(stub.chats).toHaveLength(2)
}

/** As docs/api.md shows it. */
const config = (model: string): string => `
model = "${model}"
model_provider = "svc"

[model_providers.svc]
name = "SVC"
base_url = "${gateway.v1}"
env_key = "SVC_API_KEY"
wire_api = "responses"
`

test.each<Loop>([
  { model: 'some-model', tool: 'exec_command', input: { cmd: EDIT } },
  {
    model: 'gpt-5.6-sol',
    tool: 'functions__exec',
    input: { input: `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(EDIT)} })))` },
  },
])('the tool $tool edits a file', edit, 120_000)
