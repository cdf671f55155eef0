/** What callers without a key can make the gateway do: little of it, and in time that grows with what they send alone. */
import { describe, expect, test } from 'vitest'
import { growthAboveLinear } from '../packages/server/testing/cpu-growth.ts'
import { rawRequest } from '../packages/server/testing/raw-request.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { errorOf } from './error-of.ts'

const gateway = useGateway()

test.each(['://', '1234', '-1', '1e3', ' 1', 'one', '0x1', '7'.repeat(60_000), '://'.repeat(20_000), ''])(
  'a count of retries that is none is not logged (%#)',
  async (count) => {
    const before = gateway.logged.length
    const { status } = await rawRequest(gateway.baseUrl, {
      path: '/api/nothing',
      headers: ['x-stainless-retry-count', count],
    })
    expect(status).toBe(404)
    await expect.poll(() => gateway.logged.length).toBeGreaterThan(before)
    expect(JSON.parse(gateway.logged.at(-1) ?? '')).toMatchObject({ status: 404, retry: count === ' 1' ? '1' : null })
  },
)

test.each(['0', '12', '999'])('a count of %s retries is logged', async (count) => {
  const before = gateway.logged.length
  await rawRequest(gateway.baseUrl, { path: '/api/nothing', headers: ['x-stainless-retry-count', count] })
  await expect.poll(() => gateway.logged.length).toBeGreaterThan(before)
  expect(JSON.parse(gateway.logged.at(-1) ?? '')).toMatchObject({ retry: count })
})

/** Headers that the gateway, its framework or a plug-in reads. */
const headers = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'content-encoding',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'origin',
  'range',
  'referer',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-api-key',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-stainless-retry-count',
] as const

/** Pieces that make a reader try again from each place. */
const pieces = [
  '://',
  'a',
  '0',
  ' ',
  ',',
  ', ',
  ';',
  '=',
  ';=',
  'a=b; ',
  '"',
  '\\',
  'bearer ',
  'Basic ',
  'bytes=0-,',
  '1.1.1.1,',
  ':',
  '%',
  '%2',
  'sk-svc-',
  'W/"a",',
  'a;q=0.1,',
] as const

const LENGTH = 28_000

describe.each([
  ['GET', '/api/nothing'],
  ['GET', '/api/health'],
  ['GET', '/api/console/session'],
  ['GET', '/console'],
  ['GET', '/docs/search.json'],
  ['OPTIONS', '/api/v1/chat/completions'],
  ['POST', '/api/v1/chat/completions'],
  ['POST', '/api/v1/messages'],
  ['POST', '/api/v1/audio/transcriptions'],
] as const)('%s %s', (method, path) => {
  test('reads every header in time that grows with its length alone', async () => {
    const slow: string[] = []
    for (const name of headers) {
      for (const piece of pieces) {
        const growth = await growthAboveLinear(
          LENGTH,
          (length) => `x${piece.repeat(length / piece.length)}x`,
          (value) => rawRequest(gateway.baseUrl, { method, path, headers: [name, value] }),
        )
        if (growth !== null) slow.push(`${name}: (${piece})* ${growth}`)
      }
    }
    expect(slow).toEqual([])
  })

  test('reads its address in time that grows with its length alone', async () => {
    const slow: string[] = []
    for (const piece of [
      'a',
      '/',
      '//',
      '/a',
      '%20',
      '%2f',
      ';',
      '&',
      'a=b&',
      '=',
      '?',
      '[]',
      '.',
      '..',
      '../',
      '+',
      ':',
    ]) {
      for (const before of ['', '/', '?', '?q=']) {
        const growth = await growthAboveLinear(
          LENGTH,
          (length) => `${path}${before}${piece.repeat(length / piece.length)}`,
          (address) => rawRequest(gateway.baseUrl, { method, path: address }),
        )
        if (growth !== null) slow.push(`${before}(${piece})*: ${growth}`)
      }
    }
    expect(slow).toEqual([])
  })
})

test('many short headers, cookies and parameters are read in time that grows with their number alone', async () => {
  const many = (length: number, piece: string): string => piece.repeat(length / piece.length)
  const read = (text: string) =>
    rawRequest(gateway.baseUrl, {
      path: `/api/v1/models?${text.replaceAll(';', '&').slice(0, 16_000)}`,
      headers: [
        'cookie',
        text,
        ...text
          .split(';')
          .slice(0, 900)
          .flatMap((_, index) => [`x-${index}`, '1']),
      ],
    })
  expect(await growthAboveLinear(12_000, (length) => many(length, 'a=b;'), read)).toBeNull()
})

describe('callers without a key', () => {
  // Its time stands still: on a busy machine requests would be slower than what they may take comes back.
  const limited = useGateway(() => {
    const startedAt = Date.now()
    const limits = { public_per_minute: 60, requests_per_minute: 120 }
    return { clock: { now: () => startedAt }, file: { limits } }
  })

  /** A sixth of a minute's worth may come at once. */
  test.each([
    ['an address that does not exist', { method: 'GET', path: '/nothing', status: 404, allowed: 10 }],
    ['a method that an address does not have', { method: 'PUT', path: '/v1/models', status: 405, allowed: 0 }],
    ['a preflight request', { method: 'OPTIONS', path: '/v1/chat/completions', status: 204, allowed: 20 }],
  ])('are refused %s after some', async (_what, { method, path, status, allowed }) => {
    for (let asked = 0; asked < allowed; asked++) {
      expect((await limited.fetch(path, { method, key: null })).status).toBe(status)
    }
    const refused = await limited.fetch(path, { method, key: null })
    expect([refused.status, (await errorOf(refused)).code]).toEqual([429, 'rate_limit_exceeded'])
  })

  test('do not use up what a key has', async () => {
    expect((await limited.fetch('/v1/balance')).status).toBe(200)
  })
})
