/** Every command of the terminal client: the one file that is published does what its sources do. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../packages/cli/bundle.mjs'
import { createProgram } from '../packages/cli/src/program.ts'
import { type ExampleServer, startExampleServer } from './answer-with-examples.ts'
import { type ClientParts, useSitting } from './sit-at-terminal.ts'

const ID = '0199f0a4-7c1e-7a52-9d1b-3f5a2c7e8b90'
const KEY = `sk-svc-${'a'.repeat(49)}`
const HASH = `0x${'ab'.repeat(32)}`
const WALLET = `0x${'1'.repeat(40)}`

interface Case {
  readonly line: string
  /** The exit code that is right; of both. */
  readonly code: number
  readonly input?: string
}

/** In this order: a command may need what another one has written. `FOLDER` is a folder of files. */
const cases: readonly Case[] = [
  { line: 'chat --history Hello', code: 0 },
  { line: 'chat -c --no-stream More', code: 0 },
  { line: 'chat --json Hello', code: 0 },
  { line: 'chat --json --stream Hello', code: 0 },
  { line: 'chat --attach FOLDER/notes.txt --schema FOLDER/schema.json Hello', code: 1 },
  { line: 'chat --max-credits 5 Hello', code: 0 },
  { line: 'chat --max-credits much Hello', code: 2 },
  { line: 'chat --quote Hello', code: 0 },
  { line: 'chat --attach FOLDER/unknown.bin Hello', code: 2 },
  { line: 'chat --tools FOLDER/schema.json Hello', code: 2 },
  { line: 'history --limit 1', code: 0 },
  { line: 'history show nothing', code: 2 },
  { line: 'history delete nothing', code: 2 },
  { line: 'history clear', code: 0 },
  { line: 'history off', code: 0 },
  { line: 'history on', code: 0 },
  { line: 'image -o FOLDER/image.png --force cat', code: 0 },
  { line: 'video --no-wait cat', code: 0 },
  { line: 'speak -o - Hello', code: 0 },
  { line: 'voices', code: 0 },
  { line: 'transcribe FOLDER/notes.txt', code: 0 },
  { line: 'transcribe FOLDER/notes.txt --quote --json -d 90', code: 0 },
  { line: 'transcribe FOLDER/notes.txt --quote', code: 2 },
  // The example's vectors are numbers, and are asked for as bytes.
  { line: 'embed -m some-model Hello', code: 1 },
  { line: 'models', code: 0 },
  { line: 'models --json', code: 0 },
  // What it asks has no example: both tell the same failure.
  { line: 'price svc-gpt Hello', code: 1 },
  { line: 'balance', code: 0 },
  { line: 'balance --json', code: 0 },
  { line: 'usage', code: 0 },
  { line: 'usage --csv', code: 0 },
  { line: `usage ${ID}`, code: 0 },
  { line: 'usage --since yesterday', code: 2 },
  { line: `receipt get ${ID}`, code: 0 },
  { line: 'receipt verify FOLDER/notes.txt --key KEY', code: 2 },
  { line: 'deposit address', code: 0 },
  { line: `deposit claim ${HASH} --no-wait`, code: 0 },
  { line: 'deposit claim 0x12', code: 2 },
  { line: 'deposit list', code: 0 },
  { line: 'deposit wallets', code: 0 },
  { line: `deposit wallets challenge ${WALLET}`, code: 0 },
  { line: 'deposit wallets challenge 0x12', code: 2 },
  { line: 'deposit wallets link 0xab', code: 0, input: 'message' },
  { line: 'deposit wallets link 0xa', code: 2, input: 'message' },
  { line: `deposit wallets unlink wal_${ID}`, code: 0 },
  { line: 'deposit wallets unlink nothing', code: 2 },
  { line: 'log key', code: 0 },
  // It is not told which key to expect.
  { line: 'log watch --once', code: 2 },
  { line: 'keys list', code: 0 },
  { line: 'keys create laptop --expires 2030-01-01 --rights inference,keys -m svc-gpt', code: 0 },
  { line: 'keys create laptop --rights all', code: 2 },
  { line: `keys revoke ${ID}`, code: 0 },
  { line: 'keys revoke laptop', code: 2 },
  { line: 'keys mirror laptop', code: 0, input: KEY },
  { line: 'login --profile work', code: 0, input: KEY },
  { line: 'login', code: 2, input: 'no key' },
  { line: 'login --browser --manage-keys', code: 0 },
  { line: 'whoami', code: 0 },
  { line: 'profiles', code: 0 },
  { line: 'profiles use work', code: 0 },
  { line: 'logout --profile work', code: 0 },
  { line: 'completion bash', code: 0 },
  { line: '__complete mod', code: 0 },
  { line: 'help chat', code: 0 },
  { line: 'nothing', code: 2 },
]

const sitAtSources = useSitting()
const sitAtFile = useSitting()
let server: ExampleServer
let folder: string
let parts: ClientParts

beforeAll(async () => {
  server = await startExampleServer({ requestDeviceCode: { interval: 1 } })
  folder = mkdtempSync(path.join(tmpdir(), 'svc-packed-'))
  writeFileSync(path.join(folder, 'notes.txt'), 'Notes.\n')
  writeFileSync(path.join(folder, 'schema.json'), '{"type":"object"}')
  writeFileSync(path.join(folder, 'unknown.bin'), Buffer.from([0, 1, 2, 255]))
  const file = path.join(folder, 'svc.cjs')
  await bundle("export { run } from './src/run.ts'; export { createTerminal } from './src/terminal/terminal.ts'", file)
  parts = createRequire(import.meta.url)(file) as ClientParts
}, 180_000)
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each(cases)('`svc $line` ends with $code, and says the same from both', async ({ line, code, input }) => {
  const env = { SVC_BASE_URL: server.baseUrl, SVC_API_KEY: KEY }
  const words = line.replaceAll('FOLDER', folder).split(' ')
  const sitting = { env, isTerminal: false, ...(input === undefined ? {} : { input }) }
  const ends = [await sitAtSources(words, sitting), await sitAtFile(words, { ...sitting, parts })]
  const [ofSources, ofFile] = ends.map((end) => ({
    ...end,
    out: withoutChance(end.out),
    notes: withoutChance(end.notes),
  }))
  expect(ofFile).toEqual(ofSources)
  expect({ code: ofSources?.code, notes: ofSources?.notes }).toMatchObject({ code })
})

/** What no two runs share: their folders of settings, and ids by the time. */
function withoutChance(text: string): string {
  return text.replaceAll(/\S*svc-in-process-\w+/g, 'SETTINGS').replaceAll(/\d{8}-\d{6}-[0-9a-f]{4}/g, 'ID')
}

test('every command is tried', () => {
  const tried = cases.map(({ line }) => line)
  const untried = leavesOf(
    createProgram(() => Promise.resolve(), '0'),
    '',
  ).filter((name) => !tried.some((line) => line === name || line.startsWith(`${name} `)))
  expect(untried).toEqual([])
})

type Command = Pick<ReturnType<typeof createProgram>, 'commands'>

function leavesOf(command: Command, prefix: string): string[] {
  return command.commands
    .filter((child) => child.name() !== 'help')
    .flatMap((child) => {
      const name = `${prefix}${child.name()}`
      return child.commands.length === 0 ? [name] : leavesOf(child, `${name} `)
    })
}

test('the file has no schema, and to parse by one in it is a fault that is seen', async () => {
  const file = path.join(folder, 'schema.cjs')
  await bundle("import { z } from 'zod'; export const parse = () => z.object({}).safeParse({})", file)
  const { parse } = createRequire(import.meta.url)(file) as { readonly parse: () => unknown }
  expect(parse).toThrow('no schemas')
  expect(readFileSync(path.join(folder, 'svc.cjs'), 'utf8')).not.toContain('ZodError')
})
