import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { eventually } from '../../testing/eventually.ts'
import { capture, placeHold } from '../../testing/ledger-operations.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { SMALL_LIMIT_UNITS } from '../money/billing/small-limit.ts'
import type { ExtendHold } from '../money/ledger/operations.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

interface Entries {
  readonly hold: {
    readonly state: string
    readonly placed_at_ms: number
    readonly ended_at_ms: number
    readonly credits_reserved: number
    readonly credits_placed: number
    readonly output_limit: { readonly units: number; readonly is_exact: boolean } | null
    readonly extensions: readonly {
      readonly at_ms: number
      readonly credits_added: number
      readonly credits_reserved: number
    }[]
  }
  readonly transfer: {
    readonly kind: string
    readonly entries: readonly { readonly account: string; readonly credits: number }[]
  } | null
}

interface Days {
  readonly data: readonly { readonly group: string; readonly name: string; readonly requests: number }[]
}

/** Of the requests, those that the ledger was given by hand: nobody measured them. */
const HELD = 1

interface Timings {
  readonly data: readonly {
    readonly name: string
    readonly requests: number
    readonly failed: number
    readonly duration_ms: { readonly median: number; readonly slow: number } | null
  }[]
}

describeEachEngine('money of a team', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  let browser: BrowserSession
  let team: { readonly accountId: string; readonly teamId: string }
  let base = ''
  const keys: { readonly id: string; readonly key: string }[] = []

  beforeAll(async () => {
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
    const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
    team = await createTestAccount(gateway.gateway, '500', 'Crew')
    base = `/console/teams/${team.teamId}`
    const store = createTeamStore(gateway.gateway.database)
    await store.addMember({ teamId: team.teamId, userId: user.id, role: 'admin', createdAt: Date.now() })
    // What a spreadsheet would run, and what would break a line of the file.
    for (const name of ['=HYPERLINK("http://evil.invalid")', ' -2+3', 'plain, "quoted"']) {
      keys.push(await browser.json('POST', `${base}/keys`, { name }))
    }
    for (const { key } of keys) await chat(key, 'svc-gpt')
    await chat(keys[0]?.key ?? '', 'svc-claude')
    await gateway.settled()
  })

  async function chat(key: string, model: string): Promise<{ readonly id: string; readonly charged: number }> {
    const response = await fetch(`${gateway.v1}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 16 }),
    })
    const { svc, error } = (await response.json()) as { svc?: { credits_charged: number }; error?: unknown }
    if (svc === undefined) throw new Error(JSON.stringify(error))
    return { id: response.headers.get('x-request-id') ?? '', charged: svc.credits_charged }
  }

  test('the entries of a request are those of its charge, and sum to zero', async () => {
    const { id, charged } = await chat(keys[0]?.key ?? '', 'svc-gpt')
    await gateway.settled()
    const { hold, transfer } = await browser.json<Entries>('GET', `${base}/usage/${id}/entries`)
    const plain = { state: 'captured', credits_placed: hold.credits_reserved, output_limit: null, extensions: [] }
    expect(hold).toMatchObject(plain)
    expect(hold.ended_at_ms).toBeGreaterThanOrEqual(hold.placed_at_ms)
    expect(hold.credits_reserved).toBeGreaterThanOrEqual(charged)
    expect(transfer?.kind).toBe('capture')
    expect(transfer?.entries.find(({ account }) => account === team.accountId)?.credits).toBe(-charged)
    expect(transfer?.entries.reduce((sum, { credits }) => sum + Math.round(credits * 1e9), 0)).toBe(0)
    for (const foreign of ['nothing', '0197f0a0-0000-7000-8000-000000000000']) {
      expect((await browser.call('GET', `${base}/usage/${foreign}/entries`)).status).toBe(404)
    }
  })

  test('the story of a hold that grew lists each extension with its time and size', async () => {
    const { ledger, database } = gateway.gateway
    const { budget_id: keyBudgetId, key_id: keyId } = await database.read
      .selectFrom('api_key')
      .select(['budget_id', 'key_id'])
      .where('key_id', '=', keys[0]?.id ?? '')
      .executeTakeFirstOrThrow()
    const at = Date.now()
    const caller = { keyId, keyBudgetId, accountId: team.accountId, teamBudgetId: null }
    const hold = placeHold({ ...team, ...caller }, { model: 'svc-gpt', fixed: 100n, perUnit: 10n, units: 10, now: at })
    const extend = (targetUnits: number, now: number): ExtendHold => ({
      ...{ kind: 'extend', holdId: hold.holdId, fixed: hold.fixed, perUnit: hold.perUnit, targetUnits, now },
    })
    const read = () => browser.json<Entries>('GET', `${base}/usage/${hold.holdId}/entries`)
    await ledger.submit(hold)
    await ledger.submit(extend(20, at + 5))
    // Enough already: nothing grows.
    await ledger.submit(extend(15, at + 6))
    await ledger.submit(extend(50, at + 9))
    const extensions = [
      { at_ms: at + 5, credits_added: 1e-7, credits_reserved: 3e-7 },
      { at_ms: at + 9, credits_added: 3e-7, credits_reserved: 6e-7 },
    ]
    const sizes = { credits_placed: 2e-7, credits_reserved: 6e-7, output_limit: null }
    const story = { placed_at_ms: at, ...sizes, extensions }
    expect((await read()).hold).toEqual({ ...story, state: 'held', ended_at_ms: null })
    await ledger.submit({ ...capture(hold.holdId, 120n), now: at + 20 })
    expect((await read()).hold).toEqual({ ...story, state: 'captured', ended_at_ms: at + 20 })
  })

  test('what a budget limited an answer to is shown with how its credits moved', async () => {
    const limitWith = async (credits: string) => {
      const asked = { name: 'small', budget: { credits, period: 'none' } }
      const { key } = await browser.json<{ key: string }>('POST', `${base}/keys`, asked)
      const body = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello!' }] }
      const response = await gateway.chat(body, { key })
      const { svc } = (await response.json()) as { svc: { max_tokens_applied: number } }
      await gateway.settled()
      const id = response.headers.get('x-request-id') ?? ''
      const { hold } = await browser.json<Entries>('GET', `${base}/usage/${id}/entries`)
      return { applied: svc.max_tokens_applied, told: hold.output_limit }
    }
    const { applied, told } = await limitWith('0.1')
    expect(applied).toBeGreaterThan(SMALL_LIMIT_UNITS)
    expect(told).toEqual({ units: applied, is_exact: true })
    // So little that the prompt is counted, which leaves more than the hold was placed for.
    const little = await limitWith('0.012')
    expect(little.told).toEqual({ units: expect.any(Number) as number, is_exact: false })
    expect(little.applied).toBeGreaterThan(little.told?.units ?? Infinity)
  })

  test('days divide by model, key, person and type, and each division has the same requests', async () => {
    const counts = new Map<string, number>()
    for (const by of ['model', 'key', 'person', 'type']) {
      const { data } = await browser.json<Days>('GET', `${base}/usage-days?days=2&by=${by}`)
      counts.set(
        by,
        data.reduce((sum, { requests }) => sum + requests, 0),
      )
      if (by === 'key') expect(data.map(({ name }) => name)).toContain('plain, "quoted"')
      if (by === 'model') expect(new Set(data.map(({ group }) => group))).toEqual(new Set(['svc-gpt', 'svc-claude']))
      if (by === 'person') expect(data.map(({ name }) => name)).toContain('Demo')
      if (by === 'type') expect(new Set(data.map(({ group }) => group))).toEqual(new Set(['chat']))
    }
    expect(new Set(counts.values()).size).toBe(1)
    expect((await browser.call('GET', `${base}/usage-days?by=colour`)).status).toBe(400)
  })

  test('days of a time zone have the requests that began on them', async () => {
    const now = Date.now()
    const sum = ({ data }: Days): number => data.reduce((total, { requests }) => total + requests, 0)
    const read = (query: string) => browser.json<Days & { last_day: string }>('GET', `${base}/usage-days?${query}`)
    const everything = sum(await read('days=3'))
    for (const zone of ['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kolkata']) {
      const local = await read(`days=3&time_zone=${zone}`)
      expect(sum(local)).toBe(everything)
      expect(local.last_day).toBe(new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(now))
    }
    const [day] = new Date(now).toISOString().split('T')
    expect(sum(await read(`from=${day}&to=${day}`))).toBeGreaterThan(0)
    expect(sum(await read('from=2020-01-01&to=2020-01-31&time_zone=Asia/Kolkata'))).toBe(0)
    for (const wrong of [
      'from=2026-02-30',
      'from=2026-05-02&to=2026-05-01',
      'from=2020-01-01&to=2026-01-01',
      'from=2026-01-01&to=2026-06-01&time_zone=Asia/Kolkata',
      'time_zone=Mars/Olympus',
    ]) {
      expect([wrong, (await browser.call('GET', `${base}/usage-days?${wrong}`)).status]).toEqual([wrong, 400])
    }
  })

  test('timings are those of the team’s own requests, by model and by key', async () => {
    const now = Math.floor(Date.now() / 1_000)
    const read = async (query: string) => {
      const span = `from=${now - 86_400}&to=${now + 3_600}`
      return (await browser.json<Timings>('GET', `${base}/usage-timings?${span}&${query}`)).data
    }
    const { totals } = await browser.json<{ totals: { requests: number } }>('GET', `${base}/usage`)
    // They are written every few seconds.
    const all = await eventually(async () => {
      const [row] = await read('step=day')
      expect(row?.requests).toBe(totals.requests - HELD)
      return row
    })
    expect(all?.failed).toBe(0)
    expect(all?.duration_ms?.median).toBeGreaterThan(0)
    expect(all?.duration_ms?.slow).toBeGreaterThanOrEqual(all?.duration_ms?.median ?? Infinity)
    for (const by of ['model', 'key']) {
      const rows = await read(`step=day&by=${by}`)
      expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(all?.requests)
      expect(rows.map(({ name }) => name)).toContain(by === 'model' ? 'svc-claude' : 'plain, "quoted"')
    }
    expect((await read('step=day&by=model&model=svc-claude')).map(({ requests }) => requests)).toEqual([1])
    for (const wrong of ['from=5&to=5', 'from=0&to=90000000', 'to=5', `from=0&to=5&step=week`]) {
      expect((await browser.call('GET', `${base}/usage-timings?${wrong}`)).status).toBe(400)
    }
  })

  test('the file has every request that the filters select, and nothing that a spreadsheet would run', async () => {
    const { totals } = await browser.json<{ totals: { requests: number } }>('GET', `${base}/usage`)
    const response = await browser.call('GET', `${base}/usage.csv`)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="usage-[\d-]{10}\.csv"$/)
    const text = await response.text()
    const lines = text.split('\r\n')
    expect(lines).toHaveLength(totals.requests + 2)
    expect(lines[0]).toMatch(/^request_id,created,/)
    expect(text).toContain(`"'=HYPERLINK(""http://evil.invalid"")"`)
    expect(text).toContain(`,'-2+3,`)
    expect(text).toContain(`,"plain, ""quoted""",`)
    const one = await (await browser.call('GET', `${base}/usage.csv?model=svc-claude`)).text()
    expect(one.trimEnd().split('\r\n')).toHaveLength(2)
    expect((await browser.call('GET', `${base}/usage.csv?from=9&to=3`)).status).toBe(400)
  })

  test('a price for many requests is so many charges of one, to the last digit', async () => {
    const { id, charged } = await chat(keys[0]?.key ?? '', 'svc-gpt')
    await gateway.settled()
    const record = await browser.json<{ prompt_tokens: number; completion_tokens: number; basis: string }>(
      'GET',
      `${base}/usage/${id}`,
    )
    const query = `input_tokens=${record.prompt_tokens}&output_tokens=${record.completion_tokens}`
    const price = await (
      await browser.call('GET', `/console/model-price?model=svc-gpt&requests=1000000&${query}`)
    ).text()
    expect(record.basis).toBe('card')
    expect(JSON.parse(price)).toMatchObject({ type: 'text', basis: 'card', credits_per_request: charged })
    const million = BigInt(Math.round(charged * 1e9)) * 1_000_000n
    expect(price).toContain(`"credits":${million / 1_000_000_000n}`)
  })

  test.each([
    ['image', 'images=3', 3],
    ['video', 'seconds=5', 1],
    ['speech', 'characters=1000', 1_000],
    ['transcription', 'seconds=60', 60],
  ])('every kind has a price: %s', async (type, query, least) => {
    const { data } = (await (await gateway.fetch(`/v1/models?type=${type}`, { key: gateway.key })).json()) as {
      data: { id: string; svc: { credits_per_unit: number } }[]
    }
    for (const { id, svc } of data) {
      const price = await browser.json<{ credits: number; credits_per_request: number }>(
        'GET',
        `/console/model-price?model=${encodeURIComponent(id)}&requests=2&${query}`,
      )
      expect(price.credits).toBeGreaterThan(0)
      expect(price.credits).toBeCloseTo(2 * price.credits_per_request, 8)
      if (type !== 'image' && type !== 'video') {
        expect(price.credits_per_request).toBeLessThanOrEqual(svc.credits_per_unit * least + 1e-9)
      }
    }
    expect(data.length).toBeGreaterThan(0)
    expect((await browser.call('GET', '/console/model-price?model=nobody')).status).toBe(404)
  })
})
