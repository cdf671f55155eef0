import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../errors/service-error.ts'
import { createLogger, type Logger, writeRecord } from './log.ts'

const ours = `sk-svc-${'A1b2C3d'.repeat(7)}`
const openRouter = `sk-or-v1-${'0a9b8c7d'.repeat(8)}`
const openAi = `sk-${'Zz19'.repeat(12)}`
const privateKey = `0x${'deadbeef'.repeat(8)}`
const session = 'canary-session-value'
const canaries = [ours, openRouter, openAi, privateKey.slice(2), session, 'canary-password']

/** Runs the writer and returns the text that left the log. */
function logged(write: (log: Logger) => void): string {
  const lines: string[] = []
  write(createLogger({ level: 'trace', sink: { write: (line) => lines.push(line) } }))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  return lines.join('')
}

const everything = canaries.map((canary) => `x\n${canary}`).join('\f')

describe('no secret leaves the log', () => {
  const withHeaders = Object.assign(new Error(`failed with ${ours}`, { cause: new Error(`cause\n${openRouter}`) }), {
    headers: {
      authorization: `Bearer ${session}`,
      cookie: `s=${session}`,
      'set-cookie': [`a=${session}`, `b=${session}`],
    },
    rawHeaders: ['Authorization', `Bearer ${session}`, 'Cookie', `s=${session}`],
  })
  const cases: Record<string, (log: Logger) => void> = {
    'in a message': (log) => log.info(`the key is ${ours}, ${openRouter}, ${openAi}, ${privateKey}`),
    'in a formatted message': (log) => log.warn('key %s and %o', ours, { openRouter }),
    'after an escaped line end': (log) => log.info(everything.replace(session, '').replace('canary-password', '')),
    'in an error with a cause': (log) => log.error({ err: withHeaders }, 'failed'),
    'in an error as the only argument': (log) => log.error(withHeaders),
    'in an error under another name': (log) => log.error({ error: withHeaders, reason: withHeaders }),
    'in an error as text': (log) => log.error({ text: inspect(withHeaders) }),
    'in a public error’s facts': (log) =>
      log.error(
        new ServiceError('internal_error', 'no', { internal: { authorization: session, deep: { apiKey: ours } } }),
      ),
    'in nested objects': (log) => log.info({ a: { b: { authorization: session, c: [{ d: ours }] } } }),
    'in headers': (log) => log.info({ req: { headers: { cookie: session, 'x-api-key': session } } }),
    'in deep headers': (log) =>
      log.info({ a: { b: { c: { d: { e: { cookie: `s=${session}`, 'x-api-key': session } } } } } }),
    'in JSON inside JSON': (log) =>
      log.info({
        text: JSON.stringify({ text: JSON.stringify({ cookie: session, authorization: `Basic ${session}` }) }),
      }),
    'in a header line': (log) =>
      log.info(`GET / HTTP/1.1\r\nCookie: s=${session}\r\nAuthorization: Token ${session}\r\n`),
    'in a value with quotes': (log) =>
      log.info({ deep: { a: { b: { cookie: `a="x"; s=${session}` } } }, text: `Cookie: a="x"; s=${session}` }),
    'in lists of values': (log) => log.info({ text: JSON.stringify(withHeaders.headers), raw: withHeaders.rawHeaders }),
    'in a URL': (log) => log.info('connecting to postgres://user:canary-password@host/db'),
    'in a child’s bindings': (log) => log.child({ key: ours, headers: { authorization: session } }).info('hello'),
    'in field names': (log) => log.info({ [ours]: 1 }),
  }
  for (const [name, write] of Object.entries(cases)) {
    test(`${name}`, () => {
      const text = logged(write)
      for (const canary of canaries) expect(text).not.toContain(canary)
    })
  }
})

test('a parser’s complaint is logged without what it quotes', () => {
  let failure: unknown
  try {
    JSON.parse('{"prompt": my secret diary}')
  } catch (error) {
    failure = error
  }
  const text = logged((log) => log.error({ err: failure }))
  expect(text).toContain('is not valid JSON')
  expect(text).not.toContain('diary')
})

test('prompts and bodies are censored by name', () => {
  const text = logged((log) => log.info({ body: 'my diary', request: { messages: ['my diary'], prompt: 'my diary' } }))
  expect(text).not.toContain('diary')
})

test('what is nested without end or says itself how it is printed does not break the log', () => {
  const loop: Record<string, unknown> = { at: new Date(0), bytes: Buffer.from('x'), map: new Map([['a', 1]]) }
  loop['self'] = loop
  expect(logged((log) => log.info({ loop }))).toContain('1970-01-01T00:00:00.000Z')
})

test('a line stays JSON whatever is beside the name of a secret', () => {
  const text = logged((log) =>
    log.info({ a: { b: { c: { d: { cookie: null, authorization: { x: 1 }, 'x-api-key': 5 } } } } }, 'cookie: ['),
  )
  expect(JSON.parse(text)).toMatchObject({ a: { b: { c: { d: { cookie: null, authorization: '[secret]' } } } } })
})

test('what is not secret stays readable', () => {
  const text = logged((log) =>
    log.info({ requestId: '01890a5d-ac96-774b-bcce-b302099a8057', key: 'sk-svc-AbCd…wxyz', charge: '1.5' }, 'answered'),
  )
  expect(JSON.parse(text)).toMatchObject({
    level: 'info',
    msg: 'answered',
    requestId: '01890a5d-ac96-774b-bcce-b302099a8057',
    key: 'sk-svc-AbCd…wxyz',
    charge: '1.5',
  })
})

test('lines below the level are not written', () => {
  const lines: string[] = []
  createLogger({ level: 'warn', sink: { write: (line) => lines.push(line) } }).info('quiet')
  expect(lines).toEqual([])
})

describe('a record that is written as text', () => {
  const own = { request_id: 'r-1', status: 200, key_id: null }

  test('has the form of every other, and no secret of a client’s words', () => {
    const foreign = { model: `x\n${ours} "quoted"`, retry: null }
    const [text, usual] = [
      logged((log) => writeRecord(log, { own, foreign }, 'request')),
      logged((log) => log.info({ ...own, ...foreign }, 'request')),
    ]
    const withoutTime = (line: string): object => ({ ...(JSON.parse(line) as object), time: '' })
    expect(withoutTime(text)).toEqual(withoutTime(usual))
    expect(text).not.toContain(ours)
    expect((JSON.parse(text) as { time: string }).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('is left out where the level says so, and goes through a child as any other', () => {
    const lines: string[] = []
    const sink = { write: (line: string) => void lines.push(line) }
    writeRecord(createLogger({ level: 'warn', sink }), { own, foreign: {} }, 'request')
    expect(lines).toEqual([])
    writeRecord(createLogger({ level: 'info', sink }).child({ of: 'a child' }), { own, foreign: {} }, 'request')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ...own, of: 'a child', msg: 'request' })
  })
})
