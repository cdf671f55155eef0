import { randomUUID } from 'node:crypto'
import type { AuditReply, JournalReply, OperatorAccountDetails } from '@svc/contract'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { heldBackDeposit } from '../../testing/operator-scene.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { eventually } from '../../testing/eventually.ts'
import { useGateway } from '../../testing/use-gateway.ts'

const PASSWORD = 'correct horse battery'

describeEachEngine('the operator’s rows', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  let operator: BrowserSession
  let operatorId = ''

  beforeAll(async () => {
    const address = (await gateway.gateway.console.firstRunAddress()) ?? ''
    operator = createBrowserSession(gateway.baseUrl)
    const person = { email: 'ada@example.com', name: 'Ada', password: PASSWORD }
    await operator.json('POST', '/auth/first-run', { token: address.split('#')[1], ...person })
    operatorId = (await operator.json<{ user: { id: string } }>('GET', '/console/session')).user.id
  })

  const rows = '/console/operator'

  async function refusal(from: BrowserSession, method: string, path: string, body?: unknown) {
    const response = await from.call(method, path, body)
    const { error } = (await response.json()) as { error: { code: string; param: string | null; message: string } }
    return { status: response.status, code: error.code, param: error.param, message: error.message }
  }

  async function newestEntry(query = '') {
    const { data } = await operator.json<JournalReply>('GET', `${rows}/journal${query}`)
    return data[0]
  }

  const ask = () => gateway.chat({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] })

  const accountOf = (accountId: string) => operator.json<OperatorAccountDetails>('GET', `${rows}/accounts/${accountId}`)

  test('what is set holds at once, is shown to visitors, and goes back', async () => {
    const stranger = createBrowserSession(gateway.baseUrl)
    const seen = async () =>
      (await stranger.json<{ gateway: Record<string, unknown> }>('GET', '/console/session')).gateway
    expect(await seen()).toMatchObject({ brand: 'SVC', signup: 'closed', terms_url: null })
    const change = { brand: 'Acme AI', signup: 'open', allows_passwords: false, terms_text: 'Be kind.' }
    await operator.json('PATCH', `${rows}/settings`, change)
    expect(await seen()).toMatchObject({ brand: 'Acme AI', signup: 'open', sign_in: { password: false } })
    expect(String((await seen())['terms_url'])).toMatch(/\/console\/terms$/)
    expect(await stranger.json('GET', '/console/terms')).toEqual({ brand: 'Acme AI', text: 'Be kind.', url: null })
    const login = await stranger.call('POST', '/auth/sign-in/email', { email: 'ada@example.com', password: PASSWORD })
    expect(login.status).toBe(404)
    expect(await operator.json('GET', `${rows}/settings`)).toMatchObject({
      settings: change,
      defaults: { brand: 'SVC', signup: 'closed', allows_passwords: true },
      set: { brand: { by: 'Ada <ada@example.com>' } },
    })
    expect(await newestEntry()).toMatchObject({
      ...{ action: 'settings.change', by: 'Ada <ada@example.com>', way: 'console', outcome: 'done' },
      details: expect.arrayContaining([{ name: 'brand', value: 'SVC → Acme AI' }]),
    })
    const back = { brand: null, signup: null, allows_passwords: null, terms_text: null }
    await operator.json('PATCH', `${rows}/settings`, back)
    expect(await seen()).toMatchObject({ brand: 'SVC', signup: 'closed', sign_in: { password: true } })
  })

  test.each([
    [{ brand: '' }, 'brand'],
    [{ brand: 'x'.repeat(41) }, 'brand'],
    [{ brand: 'two\nlines' }, 'brand'],
    [{ signup: 'maybe' }, 'signup'],
    [{ terms_url: 'javascript:alert(1)' }, 'terms_url'],
    [{ unknown: 1 }, null],
  ])('a setting that cannot be is refused: %j', async (change, param) => {
    expect(await refusal(operator, 'PATCH', `${rows}/settings`, change)).toMatchObject({ status: 400, param })
  })

  test('accounts are found by name, by beginnings of ids, by a key and by a member, page by page', async () => {
    const made = await createTestAccount(gateway.gateway, '0', '100%_Café')
    const find = async (query: string) =>
      (await operator.json<{ data: { id: string }[] }>('GET', `${rows}/accounts?${query}`)).data.map(({ id }) => id)
    expect(await find(`q=${encodeURIComponent('0%_c')}`)).toEqual([made.accountId])
    expect(await find('q=%25%25')).toEqual([])
    expect(await find(`q=${made.accountId.slice(0, 30)}`)).toContain(made.accountId)
    expect(await find(`q=${made.teamId}`)).toEqual([made.accountId])
    expect(await find(`q=${gateway.keyId}`)).toEqual([gateway.accountId])
    expect(await find('q=ADA@example')).toHaveLength(1)
    const all = await find('')
    expect(await find(`after=${all[0]}`)).toEqual(all.slice(1))
  })

  test('a suspended account starts nothing until it may again, and a reason is needed', async () => {
    const state = `${rows}/accounts/${gateway.accountId}/state`
    expect((await refusal(operator, 'POST', state, { state: 'suspended', reason: ' ' })).param).toBe('reason')
    await operator.json('POST', state, { state: 'suspended', reason: 'unpaid' })
    expect((await ask()).status).toBe(403)
    expect((await accountOf(gateway.accountId)).state).toBe('suspended')
    await operator.json('POST', state, { state: 'suspended', reason: 'again' })
    expect(await newestEntry(`?account=${gateway.accountId}`)).toMatchObject({
      ...{ action: 'account.suspend', reason: 'again', outcome: 'unchanged' },
    })
    await operator.json('POST', state, { state: 'active', reason: 'paid' })
    expect((await ask()).status).toBe(200)
    const { requests, open_requests: open, keys } = await accountOf(gateway.accountId)
    expect(requests[0]).toMatchObject({ model: 'svc-gpt', status: 'ok' })
    expect(open.count).toBe(0)
    expect(JSON.stringify(keys)).not.toContain(gateway.key)
    const nobody = await refusal(operator, 'POST', `${rows}/accounts/nobody/state`, { state: 'active', reason: 'x' })
    expect(nobody).toMatchObject({ status: 404, code: 'account_not_found' })
  })

  test('a closed account keeps its credits, loses its keys, mirrored ones too, and stays closed', async () => {
    const { accountId, teamId } = await createTestAccount(gateway.gateway, '7')
    const key = await gateway.createKey({ accountId, teamId, name: 'last' })
    const state = `${rows}/accounts/${accountId}/state`
    await operator.json('POST', state, { state: 'closed', reason: 'asked for it' })
    expect((await gateway.fetch('/v1/balance', { key: key.rawKey })).status).toBe(401)
    expect(await accountOf(accountId)).toMatchObject({ state: 'closed', credits: 7, keys: [{ status: 'revoked' }] })
    const again = await refusal(operator, 'POST', state, { state: 'active', reason: 'changed my mind' })
    expect(again).toMatchObject({ status: 409, code: 'account_closed' })
    expect(await newestEntry(`?account=${accountId}`)).toMatchObject({ action: 'account.resume', outcome: 'refused' })
    const listed = await operator.json<{ data: { id: string }[] }>('GET', `${rows}/accounts?state=closed`)
    expect(listed.data.map(({ id }) => id)).toEqual([accountId])
  })

  // Found by the fuzz: PostgreSQL takes no byte of zero in a text.
  test('an id that no database takes is refused', async () => {
    const grant = { kind: 'grant', credits: '1', reason: 'a', id: '-' }
    const refused = await refusal(operator, 'POST', `${rows}/accounts/null%00/credits`, grant)
    expect(refused).toMatchObject({ status: 400, param: 'account_id' })
  })

  test('credits are given once however often it is clicked, and never taken below zero', async () => {
    const { accountId } = await createTestAccount(gateway.gateway, '10')
    const path = `${rows}/accounts/${accountId}/credits`
    const grant = { kind: 'grant', credits: '2.5', reason: 'a gift', id: randomUUID() }
    const answers = await Promise.all([1, 2, 3].map(() => operator.json('POST', path, grant)))
    expect(answers.map(({ credits }) => credits)).toEqual([12.5, 12.5, 12.5])
    expect(answers.filter(({ is_repeated: isRepeated }) => isRepeated === false)).toHaveLength(1)
    expect(await refusal(operator, 'POST', path, { ...grant, credits: '3' })).toMatchObject({
      ...{ status: 409, code: 'id_already_used', param: 'id' },
      message: expect.stringContaining(`The id ${grant.id} was used before for 2.5 credits (not 3). Nothing was`),
    })
    const take = { kind: 'adjustment', credits: '-12.500000001', reason: 'too much', id: randomUUID() }
    expect(await refusal(operator, 'POST', path, take)).toMatchObject({
      ...{ status: 409, code: 'balance_too_low', param: 'credits' },
      message: 'Only 12.5 credits are available; nothing was taken away.',
    })
    expect(await operator.json('POST', path, { ...take, credits: '-12.5' })).toMatchObject({ credits: 0 })
    for (const credits of ['0', '-1', 'x', '1e3', '1.0000000001', '2000000000', '9000000001']) {
      const refused = await refusal(operator, 'POST', path, { ...grant, id: randomUUID(), credits })
      expect([credits, refused.status, refused.param]).toEqual([credits, 400, 'credits'])
    }
    const { fundings } = await accountOf(accountId)
    expect(fundings.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['adjustment', 'too much'],
      ['grant', 'a gift'],
      ['grant', 'test'],
    ])
    const { data } = await operator.json<JournalReply>(
      'GET',
      `${rows}/journal?account=${accountId}&action=credits.grant`,
    )
    expect(data.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'refused', 'unchanged', 'unchanged'])
    expect(data.at(-1)?.details).toEqual([{ name: 'credits', value: '2.5' }])
  })

  test('more than a balance holds is refused in words, and nothing of it is recorded', async () => {
    const { accountId } = await createTestAccount(gateway.gateway, '1')
    const path = `${rows}/accounts/${accountId}/credits`
    const give = { kind: 'grant', credits: '1000000000', reason: 'much' }
    for (let times = 0; times < 3; times++) await operator.json('POST', path, { ...give, id: randomUUID() })
    expect(await refusal(operator, 'POST', path, { ...give, id: randomUUID() })).toMatchObject({
      ...{ status: 400, code: 'invalid_value', param: 'credits' },
      message: 'A balance holds at most 4000000000 credits. Nothing was recorded.',
    })
    expect(await newestEntry(`?account=${accountId}`)).toMatchObject({ action: 'credits.grant', outcome: 'refused' })
    expect((await accountOf(accountId)).credits).toBe(3_000_000_001)
  })

  test('an export has everything of the account, and neither secrets nor another account’s', async () => {
    const path = `${rows}/accounts/${gateway.accountId}/export`
    expect((await refusal(operator, 'GET', path)).param).toBe('reason')
    await heldBackDeposit(gateway.gateway.database, gateway.accountId)
    const response = await operator.call('GET', `${path}?reason=asked`)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="account-.+\.json"$/)
    const text = await response.text()
    const document = JSON.parse(text) as Record<string, Record<string, unknown>[]>
    expect(Object.keys(document)).toEqual([
      ...[
        'format',
        'exported_at',
        'account',
        'teams',
        'members',
        'passkeys',
        'limits',
        'keys',
        'open_holds',
        'fundings',
      ],
      ...['requests', 'videos', 'files', 'batches', 'stored_responses', 'invitations', 'deposit_addresses'],
      ...['wallets', 'deposits', 'letters', 'billing_details', 'invoices'],
    ])
    expect(document['fundings']).toMatchObject([{ kind: 'grant', funding: '10000', reason: 'test' }])
    expect(document['requests']?.length).toBeGreaterThan(0)
    expect(document['deposits']).toHaveLength(1)
    const { key_hash: hash } = await gateway.gateway.database.read
      .selectFrom('api_key')
      .select('key_hash')
      .where('key_id', '=', gateway.keyId)
      .executeTakeFirstOrThrow()
    for (const secret of [hash, gateway.key]) expect(text).not.toContain(secret)
    expect(await newestEntry(`?account=${gateway.accountId}`)).toMatchObject({
      action: 'account.export',
      reason: 'asked',
    })
    const foreign = createBrowserSession(gateway.baseUrl, { 'sec-fetch-site': 'cross-site' })
    for (const [name, value] of operator.cookies) foreign.cookies.set(name, value)
    expect((await refusal(foreign, 'GET', `${path}?reason=x`)).code).toBe('foreign_origin')
  })

  test('a deposit under review is shown and decided as the command does', async () => {
    const { accountId } = await createTestAccount(gateway.gateway, '0')
    const deposit = await heldBackDeposit(gateway.gateway.database, accountId)
    const listed = await operator.json<{ data: { id: string; note: string }[] }>(
      'GET',
      `${rows}/deposits?state=under_review&account=${accountId}`,
    )
    expect(listed.data).toMatchObject([{ id: `dep_${deposit.depositId}`, note: 'It is large.' }])
    const path = `${rows}/deposits/dep_${deposit.depositId}`
    expect(await operator.json('GET', `${path}/evidence`)).toEqual({ providers: null })
    const verdict = { decision: 'reject', reason: 'not ours' }
    expect(await operator.json('POST', `${path}/decision`, verdict)).toMatchObject({
      deposit: { status: 'rejected' },
      decisions: [{ decision: 'reject', reason: 'not ours', by: 'Ada <ada@example.com>' }],
    })
    await operator.json('POST', `${path}/decision`, { decision: 'release', reason: 'it is' })
    expect(await newestEntry(`?account=${accountId}`)).toMatchObject({ action: 'deposit.release', outcome: 'done' })
    const unpriced = await heldBackDeposit(gateway.gateway.database, accountId, { isUnpriced: true })
    const needs = await refusal(operator, 'POST', `${rows}/deposits/${unpriced.depositId}/decision`, {
      ...{ decision: 'release', reason: 'x' },
    })
    expect(needs).toMatchObject({ status: 409, code: 'deposit_not_decidable', param: 'price_usd' })
  })

  test('an audit runs beside the requests, one at a time, and its figures stay', async () => {
    const started = await Promise.all([1, 2].map(() => operator.json('POST', `${rows}/audit`)))
    expect(started.filter(({ started: isStarted }) => isStarted === true)).toHaveLength(1)
    const report = await eventually(async () => {
      const { last, running, failure } = await operator.json<AuditReply>('GET', `${rows}/audit`)
      expect([running, failure]).toEqual([null, null])
      if (last === null) throw new Error('no audit has ended')
      return last.report
    })
    expect(report.breaches).toBe(0)
    expect(report.rows.length).toBeGreaterThan(10)
    expect(report.rows.find(({ name }) => name === 'posted')?.figures.map(({ name }) => name)).toContain('charged')
  })

  test('upstreams and prices show how the gateway fares, and no secret', async () => {
    const upstreams = await operator.json<{ upstreams: Record<string, unknown>[] }>('GET', `${rows}/upstreams`)
    expect(upstreams.upstreams).toMatchObject([
      { kind: 'sandbox', health: { text: 'ok' }, account_circuit: 'closed', models: [{ circuit: 'closed' }] },
    ])
    const prices = await operator.json<{ data: { id: string; lines: { rule: string; margin_bps: number }[] }[] }>(
      'GET',
      `${rows}/prices`,
    )
    const gpt = prices.data.find(({ id }) => id === 'svc-gpt')
    expect(gpt?.lines.map(({ rule }) => rule)).toEqual(['card', 'card'])
    expect(prices.data.length).toBeGreaterThan(100)
  })

  test('operators are made of people who were here before; the last one stays', async () => {
    const demo = createBrowserSession(gateway.baseUrl)
    await demo.json('POST', '/auth/sign-in/demo', {})
    const { user } = await demo.json<{ user: { id: string; email: string } }>('GET', '/console/session')
    expect((await demo.call('GET', `${rows}/settings`)).status).toBe(200)
    const remove = (id: string, from = operator) =>
      from.call('POST', `${rows}/operators/${id}/remove`, { reason: 'enough' })
    expect((await remove(user.id)).status).toBe(200)
    expect((await demo.call('GET', `${rows}/settings`)).status).toBe(403)
    const last = await refusal(operator, 'POST', `${rows}/operators/${operatorId}/remove`, { reason: 'me too' })
    expect(last).toMatchObject({ status: 409, code: 'last_operator' })
    const unknown = await refusal(operator, 'POST', `${rows}/operators`, { email: 'no@body.example', reason: 'x' })
    expect(unknown).toMatchObject({ status: 404, code: 'operator_not_found', param: 'email' })
    await operator.json('POST', `${rows}/operators`, { email: user.email, reason: 'helps' })
    expect((await demo.call('GET', `${rows}/settings`)).status).toBe(200)
    expect((await remove(operatorId, demo)).status).toBe(200)
    expect((await operator.call('GET', `${rows}/settings`)).status).toBe(403)
    await demo.json('POST', `${rows}/operators`, { email: 'ada@example.com', reason: 'back' })
    expect((await remove('nobody')).status).toBe(404)
  })
})
