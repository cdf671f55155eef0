import type { JournalReply, OfferPreview, Offers, OperatorAnnouncement } from '@svc/contract'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'

const FILE_MODEL = 'anthropic/claude-opus-4'
const MODEL = 'openai/gpt-4o-mini'
const LISTED = `openrouter/${MODEL}`

describeEachEngine('what operators set while the gateway runs', (engine) => {
  let now = Date.now()
  const gateway = useGateway(() => ({
    engine,
    clock: { now: () => now },
    file: { prices: { [FILE_MODEL]: { input: '1', output: '2' } } },
  }))
  let operator: BrowserSession
  beforeAll(async () => {
    operator = createBrowserSession(gateway.baseUrl)
    await operator.json('POST', '/auth/sign-in/demo', {})
  })

  const rows = '/console/operator'
  const price = (input: string) => ({ kind: 'price', id: MODEL, value: { input, output: '20' } })
  const soldAt = async (): Promise<number | undefined> => {
    const { data } = (await (await fetch(`${gateway.v1}/models`)).json()) as {
      data: { id: string; svc: { credits_per_1m_input: number } }[]
    }
    return data.find(({ id }) => id === LISTED)?.svc.credits_per_1m_input
  }
  const refusal = async (path: string, body: object) => {
    const { error } = (await (await operator.call('POST', `${rows}${path}`, body)).json()) as {
      error: { code: string; message: string }
    }
    return [error.code, error.message] as const
  }

  test('a price is previewed, holds, is in the journal, and goes back', async () => {
    const usual = await soldAt()
    const preview = await operator.json<OfferPreview>('POST', `${rows}/offers/preview`, { change: price('10') })
    const changed = preview.data.find(({ id }) => id === LISTED)
    expect(changed?.before?.lines[0]?.selling).toBe(usual)
    expect(changed?.after?.lines[0]).toMatchObject({ kind: 'input', cost: 10_000, selling: 12_000, margin_bps: 2_000 })
    expect(await soldAt()).toBe(usual)

    await operator.json('POST', `${rows}/offers`, { change: price('10'), reason: 'dearer' })
    expect(await soldAt()).toBe(12_000)
    expect((await operator.json<Offers>('GET', `${rows}/offers`)).prices).toEqual([
      expect.objectContaining({ id: FILE_MODEL, set_in: 'file', at: null, by: null }),
      expect.objectContaining({ id: MODEL, set_in: 'console', value: expect.objectContaining({ input: '10' }) }),
    ])
    const { data } = await operator.json<JournalReply>('GET', `${rows}/journal?action=offer.change`)
    expect(data[0]).toMatchObject({ subject: MODEL, reason: 'dearer', outcome: 'done' })
    expect(data[0]?.details[0]?.value).toBe('none → {"input":"10","output":"20"}')

    // Another process looks by itself; this one knew at once.
    await operator.json('POST', `${rows}/offers`, { change: { ...price('10'), value: null }, reason: 'cheap again' })
    expect(await soldAt()).toBe(usual)
  })

  test('the file goes first, and a route leads to upstreams that are there', async () => {
    const ofFile = { kind: 'price', id: FILE_MODEL, value: { input: '9', output: '9' } }
    expect(await refusal('/offers', { change: ofFile, reason: 'x' })).toEqual([
      'invalid_value',
      expect.stringContaining('is set in svc.config.json, which goes first'),
    ])
    const route = (upstream: string) => ({ kind: 'route', id: MODEL, value: { targets: [{ upstream }] } })
    const [code, message] = await refusal('/offers/preview', { change: route('gone') })
    expect([code, message]).toEqual(['invalid_value', expect.stringContaining('there is no upstream named "gone"')])
    expect(message).not.toContain('svc.config.json')
    // No upstream can have such a name.
    expect(await refusal('/offers/preview', { change: route('ŷ 𝄞') })).toEqual([
      'invalid_value',
      expect.stringMatching(/^The route of openai\/gpt-4o-mini, targets\.0\.upstream: /),
    ])
    await operator.json('POST', `${rows}/offers`, { change: route('default'), reason: 'as it was' })
    expect((await operator.json<Offers>('GET', `${rows}/offers`)).routes).toMatchObject([
      { id: MODEL, set_in: 'console' },
    ])
    await operator.json('POST', `${rows}/offers`, { change: { ...route('default'), value: null }, reason: 'done' })
  })

  test('what is announced is shown from its beginning to its end, maintenance first and at once', async () => {
    const seconds = Math.floor(now / 1_000)
    const publish = (change: object) =>
      operator.json<OperatorAnnouncement>('POST', `${rows}/announcements`, { title: 'A', body: 'B', ...change })
    const titles = async () =>
      (await operator.json<{ data: { title: string }[] }>('GET', '/console/announcements')).data.map(
        ({ title }) => title,
      )
    await publish({ kind: 'news', title: 'Now' })
    await publish({ kind: 'news', title: 'Later', starts_at: seconds + 60 })
    const maintenance = { kind: 'maintenance', title: 'Disks', starts_at: seconds + 100, ends_at: seconds + 200 }
    const { id } = await publish(maintenance)
    expect(await titles()).toEqual(['Disks', 'Now'])
    for (const wrong of [
      { ...maintenance, ends_at: null },
      { ...maintenance, ends_at: seconds + 50 },
      { kind: 'news', title: '' },
    ]) {
      expect((await operator.call('POST', `${rows}/announcements`, { body: 'B', ...wrong })).status).toBe(400)
    }
    now += 60_000
    expect(await titles()).toEqual(['Disks', 'Later', 'Now'])
    await operator.json('POST', `${rows}/announcements/${id}/withdraw`, { reason: 'no disks' })
    expect(await titles()).toEqual(['Later', 'Now'])
    expect((await refusal(`/announcements/${id}/withdraw`, { reason: 'again' }))[0]).toBe('announcement_not_found')
    const { data } = await operator.json<JournalReply>('GET', `${rows}/journal`)
    expect(data.slice(0, 2).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['announcement.withdraw', 'refused'],
      ['announcement.withdraw', 'done'],
    ])
  })
})
