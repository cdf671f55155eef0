import type { GatewayLimit, GatewayLimitPreview, GatewayLimitsReply, JournalReply } from '@svc/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { eventually } from '../../testing/eventually.ts'
import { describeEachEngine, findPostgres } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'

const OF_FILE = 77

describeEachEngine('limits that operators set while the gateway runs', (engine) => {
  const gateway = useGateway(() => ({
    engine,
    // The test's own wide limits would be those of the file.
    file: { limits: { requests_per_minute: undefined, free_answers: OF_FILE } },
  }))
  let operator: BrowserSession
  beforeAll(async () => {
    operator = createBrowserSession(gateway.baseUrl)
    await operator.json('POST', '/auth/sign-in/demo', {})
  })

  const path = '/console/operator/limits'
  const set = (value: number | null) =>
    operator.json('POST', path, { change: { name: 'requests_per_minute', value }, reason: 'a busy week' })
  const limit = async (name: string): Promise<GatewayLimit | undefined> =>
    (await operator.json<GatewayLimitsReply>('GET', path)).data.find((each) => each.name === name)
  const askedAt = async (base: string): Promise<string | null> => {
    const { headers } = await fetch(`${base}/balance`, { headers: { authorization: `Bearer ${gateway.key}` } })
    return headers.get('x-ratelimit-limit-requests')
  }
  const refusal = async (name: string, value: number) => {
    const answer = await operator.call('POST', `${path}/preview`, { change: { name, value } })
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    return [error.code, error.message]
  }

  test('a limit is previewed, holds for a key that was in use, is in the journal, and goes back', async () => {
    expect(await limit('requests_per_minute')).toMatchObject({ value: 600, default: 600, set_in: 'default', by: null })
    expect(await askedAt(gateway.v1)).toBe('600')
    const change = { name: 'requests_per_minute', value: 60 }
    const preview = await operator.json<GatewayLimitPreview>('POST', `${path}/preview`, { change })
    expect(preview.data.map(({ before, after }) => [before, after])).toEqual([
      [600, 60],
      [100, 10],
      [6_000, 600],
      [6_000, 600],
      [600, 60],
    ])
    expect(preview.accounts_unchanged).toBe(0)
    expect(await askedAt(gateway.v1)).toBe('600')

    await set(60)
    expect(await askedAt(gateway.v1)).toBe('60')
    expect(await limit('requests_per_minute')).toMatchObject({
      value: 60,
      set_in: 'console',
      by: 'Demo <demo@sandbox.invalid>',
    })
    const { data } = await operator.json<JournalReply>('GET', '/console/operator/journal?action=limit.change')
    expect(data[0]).toMatchObject({ subject: 'requests_per_minute', reason: 'a busy week', outcome: 'done' })
    expect(data[0]?.details[0]?.value).toBe('default → 60')

    await set(null)
    expect(await askedAt(gateway.v1)).toBe('600')
    expect(await limit('requests_per_minute')).toMatchObject({ set_in: 'default', at: null })
  })

  test('a size holds for the next request', async () => {
    const ask = () =>
      gateway.chat({
        model: 'openai/gpt-4o-mini',
        messages: [{ role: 'user', content: 'x'.repeat(4_000) }],
        max_tokens: 1,
      })
    expect((await ask()).status).toBe(200)
    const change = { name: 'chat_body_bytes', value: 2_000 }
    await operator.json('POST', path, { change, reason: 'small ones' })
    expect((await ask()).status).toBe(413)
    await operator.json('POST', path, { change: { ...change, value: null }, reason: 'done' })
    expect((await ask()).status).toBe(200)
  })

  test('the file goes first, bounds hold, and what is read at a start is not set', async () => {
    expect(await limit('free_answers')).toMatchObject({ value: OF_FILE, set_in: 'file', default: 10 })
    expect(await refusal('free_answers', 9)).toEqual([
      'invalid_value',
      'free_answers is set in svc.config.json, which goes first. Change it there.',
    ])
    expect((await limit('lease_ms'))?.restart).toContain('none may have another')
    expect(await refusal('lease_ms', 9_000)).toEqual([
      'invalid_value',
      expect.stringContaining('read at a start alone'),
    ])
    expect(await refusal('requests_per_minute', 0)).toEqual(['invalid_value', expect.stringContaining('cannot be 0')])
    expect(await refusal('no_such_limit', 1)).toEqual(['invalid_value', 'There is no limit named no_such_limit.'])
    const wide = { name: 'body_bytes_in_flight', value: 1_048_576 }
    const { warnings } = await operator.json<GatewayLimitPreview>('POST', `${path}/preview`, { change: wide })
    expect(warnings).toEqual([expect.stringContaining('always refused with 503')])
  })
})

describe.skipIf(findPostgres() === null)('limits that operators set, on several processes', () => {
  const gateway = useGateway(() => ({ engine: 'postgres', file: { limits: { requests_per_minute: undefined } } }))

  test('another process follows by itself', async () => {
    const operator = createBrowserSession(gateway.baseUrl)
    await operator.json('POST', '/auth/sign-in/demo', {})
    const beside = await gateway.startBeside()
    const change = { name: 'requests_per_minute', value: 120 }
    await operator.json('POST', '/console/operator/limits', { change, reason: 'a busy week' })
    await eventually(async () => {
      const response = await beside.fetch('/v1/balance')
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('120')
    })
    const { data } = await beside.gateway.operators.gatewayLimits.list()
    expect(data.find(({ name }) => name === 'requests_per_minute')?.value).toBe(120)
  })
})
