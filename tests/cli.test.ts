/** The terminal client against a whole gateway; as a process where its pipes, signals, folder or end matter. */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { formatCredits, nanocreditsOf } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditsTextOf } from '../packages/cli/src/credits-text.ts'
import { beginStream, chunkText, sendCompletion, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import { childEnvironment } from '../packages/server/testing/child-environment.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { createSvc, type Svc, SVC_PROGRAM } from './run-svc.ts'

const ESCAPE = '\u001b'

describe('with the sandbox', () => {
  const gateway = useGateway()
  let svc: Svc

  beforeAll(() => {
    svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
  })
  afterAll(() => svc.remove())

  // B192
  test('standard output holds only the answer, and no decoration without a terminal', async () => {
    for (const env of [{}, { NO_COLOR: '1' }, { TERM: 'dumb' }, { FORCE_COLOR: '1' }]) {
      const { code, out, notes } = await svc.process(['chat', 'Hello'], { env })
      expect(code).toBe(0)
      expect(out).toMatch(/^.+“Hello”.+\n$/s)
      expect(notes).toMatch(/^[\d.]+ credits · svc-gpt · \d+ \+ \d+ tokens\n$/)
      expect(out + notes).not.toContain(ESCAPE)
    }
  })

  test('the charge that it prints is the one that was taken', async () => {
    const before = await gateway.balance()
    const { out } = await svc(['chat', '--json', 'Hello'])
    await gateway.settled()
    const after = await gateway.balance()
    const charged = /"credits_charged":([\d.]+)/.exec(out)?.[1]
    expect(charged).toBe(formatCredits(before.posted - after.posted))
  })

  test('an answer that breaks off ends its line before the error is printed', async () => {
    const { code, out, notes } = await svc.process(['chat', '-m', 'svc-sandbox/cut@3', 'Hello'])
    expect(code).toBe(1)
    expect(out).toMatch(/^[^\n]+\n$/)
    expect(notes).toMatch(/^Error: /)
  })

  test('a pipe is the prompt, or is attached to the one given', async () => {
    expect((await svc.process(['chat'], { input: 'From a pipe' })).out).toContain('“From a pipe”')
    expect((await svc(['chat', '-'], { input: 'By a dash' })).out).toContain('“By a dash”')
    expect((await svc(['chat', 'Summarise'], { input: 'the text' })).out).toMatch(/“Summarise\s+the text”/)
  })

  test('without a prompt and without a person there is nothing to do', async () => {
    const { code, out, notes } = await svc.process(['chat'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).toContain('There is no prompt.')
    expect(await svc(['chat'], { input: ' \n' })).toMatchObject({ code: 2, out: '' })
  })

  test('--json --stream prints one event a line, the last with the charge', async () => {
    const { out } = await svc(['chat', '--json', '--stream', 'Hello'])
    const events = out
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(events.length).toBeGreaterThan(3)
    expect(events.at(-1)).toMatchObject({ object: 'chat.completion.chunk', svc: { margin_bps: 2000 } })
  })

  // B191
  test('a long output is whole, in a pipe as in a file', async () => {
    const { out } = await svc.process(['models', '--json'])
    expect(out.length).toBeGreaterThan(64 * 1024)
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-output-'))
    const file = path.join(folder, 'models.json')
    const env = { ...childEnvironment(), SVC_BASE_URL: gateway.baseUrl }
    await promisify(execFile)('sh', ['-c', `"$0" "$1" models --json > "$2"`, process.execPath, SVC_PROGRAM, file], {
      env,
    })
    expect(readFileSync(file, 'utf8')).toBe(out)
    rmSync(folder, { recursive: true })
  })

  test('a reader that has had enough ends it quietly', async () => {
    const env = { ...childEnvironment(), SVC_BASE_URL: gateway.baseUrl }
    const script = `"$0" "$1" models --json | head -c 100 | wc -c; echo "\${PIPESTATUS[0]}"`
    const command = ['--norc', '-c', script, process.execPath, SVC_PROGRAM]
    const child = spawn('bash', command, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    expect(text.split(/\s+/).filter(Boolean)).toEqual(['100', '0'])
  })

  test('an answer that is lost on the way is asked for again, and charged once', async () => {
    const lost: unknown[] = []
    // Hands every request on; the first answer to a chat is lost after the gateway has given it.
    const between = createServer((request, response) => {
      void (async () => {
        const body = await new Response(Readable.toWeb(request) as ReadableStream).text()
        const { host: _host, ...headers } = request.headers as Record<string, string>
        const url = new URL(request.url ?? '', gateway.baseUrl)
        const answer = await fetch(url, { method: 'POST', headers, body })
        const text = await answer.text()
        if (lost.push(headers['idempotency-key']) === 1) response.destroy()
        else response.writeHead(answer.status, { 'x-request-id': answer.headers.get('x-request-id') ?? '' }).end(text)
      })()
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    const { port } = between.address() as AddressInfo
    const before = await gateway.balance()
    const env = { SVC_BASE_URL: `http://127.0.0.1:${port}/api` }
    const { code, out, notes } = await svc(['chat', '--json', 'Hello'], { env })
    await gateway.settled()
    const after = await gateway.balance()
    await new Promise((resolve) => between.close(resolve))
    expect({ code, notes }).toEqual({ code: 0, notes: '' })
    const charged = /"credits_charged":([\d.]+)/.exec(out)?.[1]
    expect(charged).toBe(formatCredits(before.posted - after.posted))
    expect(lost).toEqual([lost[0], lost[0]])
    expect(lost[0]).toMatch(/^svc-[0-9a-f]{32}$/)
  })

  test('usage is a table for people, and CSV and JSON for programs', async () => {
    await svc(['chat', 'Hello'])
    await gateway.settled()
    const { out } = await svc(['usage', '--limit', '1'])
    expect(out).toMatch(
      /^WHEN +STATUS +CREDITS +TYPE +QUANTITY +MODEL +REQUEST\n\S+ \S+ +ok +\S+ +chat .+ svc-gpt .+\n$/,
    )
    const csv = (await svc(['usage', '--all', '--csv'])).out.trimEnd().split('\n')
    expect(csv[0]).toContain('request_id,created,type,model')
    const json = JSON.parse((await svc(['usage', '--all', '--json'])).out) as { data: { request_id: string }[] }
    expect(json.data).toHaveLength(csv.length - 1)
    const { request_id: id } = json.data[0]!
    expect((await svc(['usage', id])).out).toContain(`Request   ${id}`)
    const since = JSON.parse((await svc(['usage', '--since', '2w', '--until', '1w', '--json'])).out) as {
      data: unknown[]
    }
    expect(since.data).toEqual([])
  })

  test('models are found by words and kinds', async () => {
    const { out } = await svc(['models', 'CLAUDE', '--featured'])
    expect(out.split('\n').filter((line) => line.startsWith('svc-'))).toHaveLength(2)
    expect((await svc(['models', 'no-such-model-at-all'])).notes).toBe('No model matches.\n')
  })

  test('a key comes from a pipe, is tried, and is kept for its owner alone', async () => {
    const own = createSvc({ SVC_BASE_URL: gateway.baseUrl })
    expect((await own(['balance'])).code).toBe(4)
    expect((await own(['login'], { input: 'sk-svc-notakeyofanybody00000' })).code).toBe(4)
    expect((await own(['login'], { input: 'not a key' })).code).toBe(2)
    const first = await own(['login'], { input: `${gateway.key}\n` })
    expect([first.code, first.notes]).toEqual([0, expect.stringContaining('Saved as the profile "default"')])
    const other = await gateway.createKey({})
    const second = await own(['login'], { input: other.rawKey })
    expect(second.notes).toContain('It replaces the key of the profile "default"')
    const file = path.join(own.folder, 'svc', 'profiles.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const who = await own(['whoami', '--json'])
    expect(JSON.parse(who.out)).toMatchObject({ base_url: gateway.baseUrl, key_source: 'profile' })
    expect(who.out + who.notes).not.toContain(gateway.key)
    expect((await own(['logout'])).code).toBe(0)
    expect((await own(['balance'])).code).toBe(4)
    own.remove()
  })

  test('too few credits are exit code 3, and it says how many are missing', async () => {
    const poor = await gateway.createKey({ budget: { limit: nanocreditsOf(1n), period: 'none' } })
    const { code, out, notes } = await svc.process(['chat', 'Hello'], { env: { SVC_API_KEY: poor.rawKey } })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(notes).toMatch(
      /This needs [\d.]+ credits, and this key's budget has 0\.000000001 credits: [\d.]+ credits are missing\./,
    )
  })

  test('wrong usage is exit code 2, and says how it is right', async () => {
    for (const words of [
      ['nope'],
      ['chat', '--max-tokens', 'many'],
      ['models', '--type', 'smell'],
      ['usage', '--since', 'x'],
      ['help', 'nope'],
      ['deposit', 'help', 'nope'],
      ['chat', '--max-tokens', '99999999999', 'Hi'],
    ]) {
      const { code, out, notes } = await svc(words)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(notes).not.toBe('')
    }
    expect((await svc(['help', 'nope'])).notes).toContain('There is no command "svc nope".')
    expect((await svc(['chat', '--max-tokens', '99999999999', 'Hi'])).notes).toContain('from 1 to 999999999')
  })

  test('with --json a failure is JSON, too, with what programs branch on', async () => {
    const fails = async (...words: string[]): Promise<unknown> => {
      const { code, out, notes } = await svc([...words, '--json'])
      expect(out).toBe('')
      const { error } = JSON.parse(notes) as { error: { exit_code: number } }
      expect(error.exit_code).toBe(code)
      return error
    }
    expect(await fails('chat', '-m', 'no/such', 'Hi')).toMatchObject({
      message: expect.stringContaining('no/such'),
      code: 'model_not_found',
      param: 'model',
      request_id: expect.any(String),
      advice: expect.stringContaining('svc models'),
      exit_code: 1,
    })
    expect(await fails('usage', '--since', 'x')).toMatchObject({ code: null, exit_code: 2 })
    expect(await fails('models', '--type', 'smell')).toMatchObject({ code: null, exit_code: 2 })
  })

  test('started by npm, files are meant in the folder of the user', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-folder-'))
    writeFileSync(path.join(folder, 'notes.txt'), 'no audio')
    const env = { npm_lifecycle_event: 'svc', INIT_CWD: folder }
    const { notes } = await svc.process(['speak', 'hello', '-o', 'notes.mp3', '-m', 'no/such-model'], { env })
    expect(notes).toContain('does not exist')
    expect(readdirSync(folder)).toEqual(['notes.txt'])
    expect((await svc.process(['speak', 'hello', '-o', 'sub/a.mp3'], { env })).notes).toContain('cannot be written')
    expect((await svc.process(['chat', '--image', 'notes.txt', 'x'], { env })).notes).toContain(
      'notes.txt is not a PNG',
    )
    rmSync(folder, { recursive: true })
  })

  test('a gateway that is not there is exit code 1, with advice', async () => {
    const { code, notes } = await svc.process(['models'], { env: { SVC_BASE_URL: 'http://127.0.0.1:1/api' } })
    expect(code).toBe(1)
    expect(notes).toContain('The gateway at http://127.0.0.1:1 could not be reached: nothing listens there.')
    expect(notes).not.toContain('whoami')
  })

  test('every command has help with examples or options', async () => {
    const { out } = await svc(['--help'])
    const names = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!).filter((name) => name !== 'help')
    expect(names).toContain('chat')
    const helps = await Promise.all(names.map(async (name) => (await svc(['help', name])).out))
    helps.forEach((help, index) => expect(help).toContain(`Usage: svc ${names[index]}`))
  })
})

describe('with an upstream that stops half way', () => {
  const upstream = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: upstream.url, credits: '0.5' }))
  let svc: Svc

  beforeAll(async () => {
    svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
    upstream.onChat = async (call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Half an answer' }))
      await call.closed
    }
  })
  afterAll(() => svc.remove())

  test('an interrupt stops it and still prints the charge', async () => {
    const before = await gateway.balance()
    const { code, out, notes } = await svc.process(['chat', 'Hello'], {
      interruptWhen: (text) => text.includes('Half'),
    })
    await gateway.settled()
    const after = await gateway.balance()
    expect(code).toBe(130)
    expect(out).toBe('Half an answer')
    expect(before.posted - after.posted).toBeGreaterThan(0n)
    expect(notes).toMatch(/Stopped\. Charged [\d.]+ credits \(estimated\) for what had come\./)
  })

  // B189
  test('what is held is not offered, and a refusal names the same credits', async () => {
    await gateway.settled()
    const { posted } = await gateway.balance()
    const stop = new AbortController()
    const body = { model: 'svc-gpt', stream: true, messages: [{ role: 'user', content: 'Hello!' }] }
    const running = gateway.chat(body, { signal: stop.signal }).catch(() => null)
    await expect.poll(async () => (await gateway.balance()).held).toBeGreaterThan(0n)
    const { held } = await gateway.balance()
    const { out } = await svc(['balance'])
    const [available, all, onHold] = [posted - held, posted, held].map((amount) => creditsTextOf(nanocreditsOf(amount)))
    expect(out).toContain(`Available  ${available} (`)
    expect(out).toContain(`Balance    ${all} (`)
    expect(out).toContain(`On hold    ${onHold} for requests in flight`)
    const refused = await svc(['chat', '--max-tokens', '20000', 'Hello'])
    expect(refused.code).toBe(3)
    expect(refused.notes).toContain(`you have ${available}`)
    stop.abort()
    await running
  })
})

describe('with a model that reads its reasoning again', () => {
  const upstream = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: upstream.url }))
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
  const detail = { type: 'reasoning.text', text: 'Hm, yes.', signature: 'SIG', format: 'anthropic-claude-v1', index: 0 }
  const pieces = [
    { ...detail, text: 'Hm, ', signature: undefined },
    { ...detail, text: 'yes.', signature: undefined },
    { ...detail, text: undefined },
  ]
  const sealed = { type: 'reasoning.encrypted', data: 'SEALED', index: 1 }
  let svc: Svc

  beforeAll(() => {
    svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: gateway.key })
    upstream.onChat = (asked, response) => {
      const message = { role: 'assistant', content: 'Look.', reasoning_details: [detail, sealed], tool_calls: [call] }
      if (!asked.wantsStream) return sendCompletion(response, { message, finishReason: 'tool_calls' })
      beginStream(response)
      for (const piece of [...pieces, sealed]) sendEvent(response, chunkText({ reasoning_details: [piece] }))
      sendEvent(response, chunkText({ content: 'Look.', tool_calls: [call] }))
      sendEvent(response, chunkText({}, 'tool_calls'))
      sendEvent(response, '[DONE]')
      response.end()
    }
  })
  afterAll(() => svc.remove())

  test.each([['--stream'], ['--no-stream'], ['--json', '--stream'], ['--json', '--no-stream']])(
    'it goes back with the next question: %s %s',
    async (...options) => {
      expect((await svc(['chat', '--history', ...options.filter(Boolean), 'Hello'])).code).toBe(0)
      expect((await svc(['chat', '-c', '--tool-result', 'a=1'])).code).toBe(0)
      const messages = upstream.chats.at(-1)?.json?.['messages']
      expect(messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', content: 'Look.', tool_calls: [{ id: 'a' }], reasoning_details: [detail, sealed] },
        { role: 'tool', tool_call_id: 'a' },
      ])
    },
  )
})
