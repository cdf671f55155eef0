import { consoleEndpointList } from '@svc/contract'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'

/**
 * Rows that change something and need no name: to do them twice is to do them once, or replaces what the first made, or
 * is refused, as a passkey is whose challenge was taken.
 */
const ALIKE = new Set([
  'acceptInvitation',
  'acceptOwnInvitation',
  'addPasskey',
  'addSignInWallet',
  'approveDevice',
  'askForEmail',
  'beginPasskey',
  'beginSecondFactor',
  'challengeSignInWallet',
  'challengeTeamWallet',
  'changeAccountState',
  'changeGatewayLimit',
  'changeOffer',
  'claimTeamDeposit',
  'confirmSecondFactor',
  'decideOperatorDeposit',
  'denyDevice',
  'eraseTeamAccount',
  'findDevice',
  'linkTeamWallet',
  'previewGatewayLimit',
  'previewOffer',
  'proveEmail',
  'removeOperator',
  'removeSecondFactor',
  'renewRecoveryCodes',
  'setPassword',
  'setResponseStorage',
  'setRotationOverlap',
  'setTeamAlert',
  'setTeamBillingDetails',
  'setTeamCap',
  'viewInvitation',
  'withdrawAnnouncement',
])

test('every row that creates something honours an Idempotency-Key', () => {
  const posts = consoleEndpointList.filter(({ method }) => method === 'POST')
  const unnamed = posts.filter(({ isIdempotent }) => isIdempotent !== true)
  expect(unnamed.map(({ id }) => id).filter((id) => !ALIKE.has(id))).toEqual([])
})

interface Made {
  readonly id: string
  readonly key: string
}

describeEachEngine('a named request of the console', (engine) => {
  const gateway = useGateway(() => ({ engine }))
  let browser: BrowserSession
  let base = ''
  beforeAll(async () => {
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
    const { teams } = await browser.json<{ teams: { id: string }[] }>('GET', '/console/session')
    base = `/console/teams/${teams[0]?.id}`
  })

  const post = (path: string, name: string, body: unknown): Promise<Response> =>
    browser.call('POST', path, body, { 'idempotency-key': name })
  const keysNamed = async (name: string): Promise<number> => {
    const { data } = await browser.json<{ data: { name: string }[] }>('GET', `${base}/keys`)
    return data.filter((key) => key.name === name).length
  }

  test('makes one key however often and however closely it is sent, and returns the same key each time', async () => {
    const body = { name: 'doubled' }
    const first = await Promise.all(Array.from({ length: 5 }, () => post(`${base}/keys`, 'form-1', body)))
    const made = first.filter(({ status }) => status === 200)
    expect(made.length).toBeGreaterThan(0)
    // What came while the first was worked on has to come back.
    expect(first.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
    const again = await post(`${base}/keys`, 'form-1', body)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    const keys = (await Promise.all([...made, again].map((answer) => answer.json()))) as Made[]
    expect(new Set(keys.map(({ id, key }) => `${id} ${key}`)).size).toBe(1)
    expect(await keysNamed('doubled')).toBe(1)
  })

  test('is refused with another body, and another name makes another', async () => {
    expect((await post(`${base}/keys`, 'form-2', { name: 'one' })).status).toBe(200)
    const other = await post(`${base}/keys`, 'form-2', { name: 'two' })
    expect([other.status, ((await other.json()) as { error: { code: string } }).error.code]).toEqual([
      422,
      'idempotency_key_reused',
    ])
    expect((await post(`${base}/keys`, 'form-3', { name: 'one' })).status).toBe(200)
    expect([await keysNamed('one'), await keysNamed('two')]).toEqual([2, 0])
  })

  test('that failed leaves its name for another try', async () => {
    const path = '/console/operator/operators'
    const failed = await post(path, 'form-4', { email: 'nobody@example.com', reason: 'test' })
    expect(failed.status).toBeGreaterThanOrEqual(400)
    const again = await post(path, 'form-4', { email: 'nobody@example.com', reason: 'test' })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([failed.status, null])
  })

  test('makes one team, and belongs to its person and its address alone', async () => {
    const made = await Promise.all([1, 2].map(() => post('/console/teams', 'form-1', { name: 'Crew' })))
    expect(made.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const { teams } = await browser.json<{ teams: { name: string }[] }>('GET', '/console/session')
    expect(teams.filter(({ name }) => name === 'Crew')).toHaveLength(1)
  })

  test.each(['', 'a b', 'é', 'x'.repeat(256)])('with a name that is none is a 400 (%#)', async (name) => {
    const response = await post(`${base}/keys`, name, { name: 'none' })
    expect([response.status, await keysNamed('none')]).toEqual([400, 0])
  })
})
