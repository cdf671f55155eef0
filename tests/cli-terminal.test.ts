/** What a person sees in a terminal, whatever names, texts and errors the gateway hands on; and how commands end. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EMBEDDING_INPUTS_MAX } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { cut } from '../packages/cli/src/terminal/table.ts'
import { useSitting, WIDTH } from './sit-at-terminal.ts'

const ESCAPE = '\u001b'
const SEQUENCES = `${ESCAPE}]0;owned\u0007${ESCAPE}[2J\u009b31m`

const sit = useSitting()

/** Text without the colours of the program itself. */
function plain(text: string): string {
  return text.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')
}

describe('with a gateway that names things as an attacker would', () => {
  let server: Server
  let env: Record<string, string>
  /** What the next requests are answered with. */
  let answer: { status: number; body: unknown }

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    env = { SVC_BASE_URL: `http://127.0.0.1:${port}/api`, SVC_API_KEY: `sk-svc-${'a'.repeat(49)}` }
  })
  afterAll(() => server.close())

  function models(...ids: readonly string[]) {
    const data = ids.map((id) => ({
      ...{
        id,
        object: 'model',
        created: 1,
        owned_by: id,
        name: `${id} 日本語の模型 👩‍👩‍👧‍👦`,
        description: id,
        context_length: 1e6,
      },
      max_output_tokens: 1,
      supported_parameters: [],
      pricing: null,
      architecture: { input_modalities: [], output_modalities: [] },
      svc: {
        type: 'text',
        featured: false,
        confidential: false,
        alias_for: null,
        aliases: [],
        margin_bps: 2000,
        credits_per_1m_input: 1,
        credits_per_1m_output: 2,
        unit: null,
        credits_per_unit: null,
      },
    }))
    return { status: 200, body: { object: 'list', data } }
  }

  function failure(status: number, code: string, message: string) {
    return { status, body: { error: { message, type: 'invalid_request_error', param: null, code } } }
  }

  // B184
  test('a name of a model cannot steer the terminal, and wide characters keep the columns in place', async () => {
    const ids = [
      `evil/${SEQUENCES}<script>alert(1)</script>`,
      '日本/とても長い名前の模型とても長い名前の模型',
      'plain/model',
    ]
    answer = models(...ids)
    const { code, out } = await sit(['models'], { env })
    expect(code).toBe(0)
    const lines = plain(out).trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    // oxlint-disable-next-line no-control-regex
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    expect(lines[1]).toContain('<script>')
    for (const line of lines) expect(cut(line, WIDTH)).toBe(line)
    // Japanese takes two columns a letter.
    const starts = lines.map((line) => line.replaceAll(/[\u3000-\u9fff]/g, 'ww').search(/ (?:TYPE|text) /))
    expect(new Set(starts).size).toBe(1)
  })

  // B184
  test('neither can an error', async () => {
    answer = failure(400, 'invalid_value', `No ${SEQUENCES} here.`)
    const { code, notes } = await sit(['balance'], { env })
    expect({ code, notes: plain(notes) }).toEqual({ code: 1, notes: 'Error: No ]0;owned[2J31m here.\n' })
  })

  // B192
  test('colour is for terminals that show it and people who want it', async () => {
    answer = models('plain/model')
    expect((await sit(['models'], { env })).out).toContain(`${ESCAPE}[1m`)
    for (const plainly of [{ NO_COLOR: '1' }, { CLICOLOR: '0' }, { TERM: 'dumb' }]) {
      const { out, notes } = await sit(['models'], { env: { ...env, ...plainly } })
      expect(out + notes).not.toContain(ESCAPE)
    }
    const piped = await sit(['models'], { env: { ...env, FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, isTerminal: false })
    expect(piped.out + piped.notes).not.toContain(ESCAPE)
    // An empty NO_COLOR is none. Source: no-color.org.
    expect((await sit(['models'], { env: { ...env, NO_COLOR: '' } })).out).toContain(`${ESCAPE}[1m`)
  })

  test('a list shows the columns that something of it fills', async () => {
    const speaks = {
      credits_per_1m_input: null,
      credits_per_1m_output: null,
      unit: 'character',
      credits_per_unit: 0.02,
    }
    const [model] = models('plain/voice').body.data
    answer = {
      status: 200,
      body: { object: 'list', data: [{ ...model, context_length: null, svc: { ...model?.svc, ...speaks } }] },
    }
    const { out } = await sit(['models'], { env, isTerminal: false })
    expect(out.split('\n')[0]?.trim().split(/ {2,}/)).toEqual(['MODEL', 'TYPE', 'CREDITS EACH', 'NAME'])
  })

  test('networks of test money are called what they are, also by a gateway that does not know local ones', async () => {
    const chain = { chainId: 4663, name: 'A Chain', address: '0x1', assets: [{ asset: 'ETH', uri: 'ethereum:0x1@1' }] }
    const deposits = { object: 'deposit_address', mode: 'address', minimum_usd: 1 }
    const kinds = [
      { testnet: false, local: false },
      { testnet: true, local: false },
      { testnet: true, local: true },
    ]
    const shown: string[] = []
    for (const kind of [...kinds, { testnet: true }]) {
      answer = { status: 200, body: { ...deposits, chains: [{ ...chain, ...kind }] } }
      const { out, notes } = await sit(['deposit', 'address'], { env, isTerminal: false })
      expect(notes.includes('npm run fund')).toBe('local' in kind && kind.local)
      shown.push(out.trimEnd())
    }
    expect(shown).toEqual([
      '0x1  A Chain: ETH',
      '0x1  A Chain (test network: takes test money only): ETH',
      '0x1  A Chain (local chain of the sandbox: takes test money only): ETH',
      '0x1  A Chain (test network: takes test money only): ETH',
    ])
  })

  // B186
  test.each([
    [400, 'invalid_value', 1],
    [401, 'invalid_api_key', 4],
    [402, 'insufficient_credits', 3],
    [403, 'permission_denied', 1],
    [404, 'model_not_found', 1],
  ] as const)('status %i is exit code, and it is asked once', async (status, name, code) => {
    answer = failure(status, name, 'Told by the gateway.')
    for (const words of [
      ['balance'],
      ['usage'],
      ['chat', 'Hello'],
      ['embed', 'Hello', '-m', 'm'],
      ['deposit', 'list'],
    ]) {
      const ended = await sit(words, { env })
      expect([words, ended.code, ended.out]).toEqual([words, code, ''])
      expect(ended.notes).toContain('Told by the gateway.')
    }
  })
})

describe('with the sandbox', () => {
  const gateway = useGateway()
  let env: Record<string, string>
  beforeAll(async () => {
    env = { SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key }
    // Something for the lists to show.
    await sit(['embed', 'Hello'], { env })
    await gateway.settled()
  })

  // B191
  test.each([
    'models',
    'models --json',
    'models --type image',
    'usage',
    'usage --json',
    'usage --csv',
    'balance',
    'whoami',
    ...[
      'balance --json',
      'whoami --json',
      'price -m svc-gpt Hello',
      'help',
      'help chat',
      '--version',
      'completion bash',
    ],
    'embed Hello',
    'embed Hello --json',
  ])('a reader that goes away ends `svc %s`, and it is no failure', async (line) => {
    const { code, out, notes } = await sit(line.split(' '), { env, isTerminal: false, readsBytes: 0 })
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    expect(out).not.toBe('')
  })

  // B191
  test('a reader that goes away from an answer ends it, and the charge is shown', async () => {
    const lines = ['chat Hello', 'chat --json Hello', 'chat --json --stream Hello']
    const ends = await Promise.all(lines.map((line) => sit(line.split(' '), { env, isTerminal: false, readsBytes: 0 })))
    for (const { code, notes } of ends) {
      expect(code).toBe(0)
      expect(notes).toMatch(/^\n?Stopped\. Charged [\d.]+ credits (?:\(estimated\) )?for what had come\.\n$/)
    }
  })

  // B191: a full disk is no reader who has had enough.
  test.each(['models --json', 'balance', 'usage --csv', 'help', 'chat Hello', 'embed Hello --json'])(
    'an output that cannot be written ends `svc %s` as a failure',
    async (line) => {
      const { code, notes } = await sit(line.split(' '), { env, isTerminal: false, readsBytes: 0, fault: 'ENOSPC' })
      expect([code, notes]).toEqual([1, expect.stringContaining('The output could not be written: write ENOSPC.')])
    },
  )

  // B187
  test('an answer without content ends as a failure, says why, and costs nothing', async () => {
    await gateway.settled()
    const before = await gateway.balance()
    const names = ['empty', 'error@0', 'html-200', 'cut@0']
    const ends = await Promise.all(
      names.map((name) => sit(['chat', '-m', `svc-sandbox/${name}`, 'Hello'], { env, isTerminal: false })),
    )
    await gateway.settled()
    expect(ends.map(({ code, out }) => ({ code, out: out.trim() }))).toEqual(names.map(() => ({ code: 1, out: '' })))
    for (const { notes } of ends) expect(notes).toMatch(/^Error: \S+ \S+/)
    expect(await gateway.balance()).toEqual(before)
  })

  test('texts become lines of JSON, and the charge that is shown is the one that was taken', async () => {
    await gateway.settled()
    const before = await gateway.balance()
    const { code, out, notes } = await sit(['embed', 'a cat', '日本', '-d', '8'], { env, isTerminal: false })
    await gateway.settled()
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    const vectors = lines.map((line) => JSON.parse(line) as { index: number; text: string; embedding: number[] })
    expect(vectors.map(({ index, text }) => [index, text])).toEqual([
      [0, 'a cat'],
      [1, '日本'],
    ])
    expect(vectors.map(({ embedding }) => embedding.length)).toEqual([8, 8])
    const taken = before.posted - (await gateway.balance()).posted
    const [, said] = /^([\d.]+) credits · text-embedding-3-small · 2 vectors of 8 · \d+ tokens\n$/.exec(notes) ?? []
    expect(BigInt(Math.round(Number(said) * 1e9))).toBe(taken)
    const whole = await sit(['embed', '--json', 'a cat'], { env, isTerminal: false })
    expect(JSON.parse(whole.out)).toMatchObject({ object: 'list', svc: { margin_bps: 2000 } })
  })

  test('nothing to embed, or more than a request takes, is wrong usage', async () => {
    expect((await sit(['embed'], { env, isTerminal: false })).code).toBe(2)
    expect((await sit(['embed', '-d', '0', 'a'], { env, isTerminal: false })).code).toBe(2)
    const many = await sit(['embed', ...Array.from({ length: EMBEDDING_INPUTS_MAX + 1 }, () => 'a')], {
      env,
      isTerminal: false,
    })
    expect(many.code).toBe(2)
    expect(many.notes).toContain('2049 texts are more than 2048')
  })
})
