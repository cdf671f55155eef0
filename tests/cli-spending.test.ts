/** What `svc` may spend: `--quote` shows what a request can cost and sends nothing, `--max-credits` bounds it. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProgram } from '../packages/cli/src/program.ts'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { createSvc, type Svc } from './run-svc.ts'

/** Commands of which no request is charged. */
const FREE: ReadonlySet<string> = new Set([
  ...['history', 'voices', 'models', 'price', 'balance', 'usage', 'receipt', 'log', 'deposit', 'keys', 'whoami'],
  ...['login', 'logout', 'profiles', 'completion', '__complete', 'help'],
])

/** A request of every command that is charged, and the unit that its maximum is mostly made of. */
const PAID: readonly (readonly [line: string, unit: string])[] = [
  ['chat Hello', 'completion tokens'],
  ['chat --json --no-stream Hello', 'completion_tokens'],
  ['image -n 2 cat', 'images'],
  ['video -m openrouter/alibaba/wan-2.7 -d 5 cat', 'seconds'],
  ['speak -m openrouter/openai/gpt-4o-mini-tts-2025-12-15 Hello', 'characters'],
  ['transcribe talk.wav --duration 2', 'seconds'],
  ['transcribe talk.wav --translate --duration 2', 'seconds'],
  ['embed -m text-embedding-3-small Hello', 'prompt tokens'],
]

const gateway = useGateway()
let svc: Svc
let folder: string

beforeAll(() => {
  svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  folder = mkdtempSync(path.join(tmpdir(), 'svc-spending-'))
  writeFileSync(path.join(folder, 'talk.wav'), makeWav(16_044))
})
afterAll(() => {
  svc.remove()
  rmSync(folder, { recursive: true, force: true })
})

const wordsOf = (line: string): readonly string[] => line.replace('talk.wav', path.join(folder, 'talk.wav')).split(' ')

test('every command that is charged has both options, and no other', () => {
  const { commands } = createProgram(() => Promise.resolve(), '0')
  const having = (long: string) =>
    commands.filter(({ options }) => options.some((option) => option.long === long)).map((command) => command.name())
  const paid = commands.map((command) => command.name()).filter((name) => !FREE.has(name))
  expect([having('--max-credits'), having('--quote')]).toEqual([paid, paid])
  expect([...new Set(PAID.map(([line]) => line.split(' ')[0]))]).toEqual(paid)
})

describe.each(PAID)('svc %s', (line, unit) => {
  test('--quote shows the most and the likely cost, sends nothing and makes no file', async () => {
    const before = await gateway.balance()
    const { code, out, notes } = await svc([...wordsOf(line), '--quote'])
    expect({ code, notes }).toEqual({ code: 0, notes })
    if (line.includes('--json')) {
      const quote = JSON.parse(out) as { readonly lines: readonly { readonly unit: string }[] }
      expect(quote).toMatchObject({ object: 'quote', credits_at_most: expect.any(Number) as number })
      expect(quote.lines.map((each) => each.unit)).toContain(unit)
    } else {
      expect(out).toMatch(/^At most [\d,.]+ credits? \(\$[\d.]+\), likely [\d,.]+ credits? \(\$[\d.]+\)\n$/)
      expect(notes).toMatch(new RegExp(`^[\\d,]+ ${unit} × [\\d.]+ = `, 'm'))
    }
    expect(await gateway.balance()).toEqual(before)
    const records = await gateway.gateway.database.read.selectFrom('usage_record').select('usage_id').execute()
    expect([records, readdirSync(folder)]).toEqual([[], ['talk.wav']])
  })

  test('--max-credits below what it can cost is refused, free, and says what would do', async () => {
    const { code, out, notes } = await svc([...wordsOf(line), '--max-credits', '0.000000001'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(notes).toContain('max-credits')
    expect(readdirSync(folder)).toEqual(['talk.wav'])
  })
})

test('an amount that is none, a quote without a prompt or a length, and a quote of a job are wrong usage', async () => {
  for (const line of [
    'chat --max-credits much Hello',
    'chat --max-credits -1 Hello',
    'chat --quote',
    'transcribe talk.wav --quote',
    'video --job video_1 --quote',
    'video --job video_1 --max-credits 1',
  ]) {
    const { code, out } = await svc(wordsOf(line))
    expect({ line, code, out }).toEqual({ line, code: 2, out: '' })
  }
})

test('--max-credits that pays for a part of an answer cuts it there, and the charge keeps within it', async () => {
  const { code, out } = await svc(['chat', '--json', '--max-credits', '0.02', 'Hello'])
  expect(code).toBe(0)
  const { svc: charge } = JSON.parse(out) as { readonly svc: { readonly credits_charged: number } }
  expect(charge.credits_charged).toBeLessThanOrEqual(0.02)
})
