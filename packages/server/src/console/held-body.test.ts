/** A body that is held back: what its sender may do is decided when it is there. */
import { type ConsoleEndpoint, consoleEndpointList } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { holdRequest, type LateAnswer } from '../../testing/hold-request.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount, startTestGateway, type TestGateway } from '../../testing/test-gateway.ts'
import { createOperatorStore } from '../access/operators/operator-store.ts'
import { FRESH_MS } from '../access/sign-in/sign-in.ts'
import { can, type Permission } from '../access/teams/permissions.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

const rowsWithBody = consoleEndpointList.filter(
  ({ request, permission }) => request.body !== undefined && permission !== 'public',
)
const teamRows = rowsWithBody.filter(({ path }) => path.includes('{team_id}'))
const operatorRows = rowsWithBody.filter(({ permission }) => permission === 'operator')

describeEachEngine('a body of the console that is held back', (engine) => {
  let gateway: TestGateway
  let browser: BrowserSession
  let userId = ''
  let teamId = ''
  let aheadMs = 0
  const teams = () => createTeamStore(gateway.gateway.database)
  const operators = () => createOperatorStore(gateway.gateway.database)

  beforeAll(async () => {
    gateway = await startTestGateway({ engine, clock: { now: () => Date.now() + aheadMs } })
    // Another operator, so that the one of these tests may go.
    const address = (await gateway.gateway.console.firstRunAddress()) ?? ''
    await createBrowserSession(gateway.baseUrl).json('POST', '/auth/first-run', {
      ...{ token: address.split('#')[1], email: 'operator@example.com', name: 'Operator' },
    })
    teamId = (await createTestAccount(gateway.gateway, '500', 'Crew')).teamId
    await signIn()
  })
  afterAll(() => gateway.stop())

  async function signIn(): Promise<void> {
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
    userId = (await browser.json<{ user: { id: string } }>('GET', '/console/session')).user.id
    await teams().addMember({ teamId, userId, role: 'admin', createdAt: Date.now() })
  }

  function hold(row: Pick<ConsoleEndpoint, 'method' | 'path'>, body: unknown = {}) {
    const path = row.path.replace('{team_id}', teamId).replaceAll(/\{\w+\}/g, 'nothing')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { origin: browser.origin, cookie, 'content-type': 'application/json' }
    return holdRequest(gateway.baseUrl, { method: row.method, path, headers, body: Buffer.from(JSON.stringify(body)) })
  }

  /** Holds one request for each row, ends the authority, and lets the bodies come. */
  async function codesAfter(rows: readonly ConsoleEndpoint[], end: () => Promise<unknown>) {
    const held = await Promise.all(rows.map((row) => hold(row)))
    // Whatever the gateway asks before it waits for the bodies is asked by then.
    await browser.call('GET', '/console/session')
    await end()
    const answers = await Promise.all(held.map((finish) => finish()))
    return new Map(rows.map((row, at) => [`${row.method} ${row.path}`, (answers[at] as LateAnswer).code]))
  }

  const all = (rows: readonly ConsoleEndpoint[], code: string) =>
    new Map(rows.map(({ method, path }) => [`${method} ${path}`, code]))

  test('there are such rows', () => {
    expect(teamRows.length).toBeGreaterThan(10)
    expect(operatorRows.length).toBeGreaterThan(5)
  })

  test('is refused of a member who was removed meanwhile', async () => {
    const codes = await codesAfter(teamRows, () =>
      teams().removeMember({ teamId, userId, from: 'admin', now: Date.now() }),
    )
    expect(codes).toEqual(all(teamRows, 'team_not_found'))
    await signIn()
  })

  test('is refused of a member whose role reaches no further meanwhile', async () => {
    const lost = teamRows.filter(
      ({ permission }) => can('admin', permission as Permission) && !can('viewer', permission as Permission),
    )
    expect(lost.length).toBeGreaterThan(8)
    const codes = await codesAfter(lost, () =>
      teams().setRole({ teamId, userId, from: 'admin', to: 'viewer', now: Date.now() }),
    )
    expect(codes).toEqual(all(lost, 'role_denied'))
    await teams().setRole({ teamId, userId, from: 'viewer', to: 'admin', now: Date.now() })
  })

  test('is refused of an operator who was removed meanwhile', async () => {
    const codes = await codesAfter(operatorRows, () => operators().remove(userId))
    expect(codes).toEqual(all(operatorRows, 'role_denied'))
    await operators().add(userId, Date.now())
  })

  test('is refused where the sign-in is too long ago meanwhile', async () => {
    const sensitive = rowsWithBody.filter(
      ({ isSensitive, permission }) =>
        isSensitive === true &&
        (permission === null || permission === 'operator' || can('admin', permission as Permission)),
    )
    expect(sensitive.length).toBeGreaterThan(5)
    const codes = await codesAfter(sensitive, async () => {
      aheadMs += FRESH_MS + 1_000
    })
    aheadMs = 0
    expect(codes).toEqual(all(sensitive, 'sign_in_again'))
  })

  test('is refused of a browser that was signed out meanwhile', async () => {
    const codes = await codesAfter(rowsWithBody, () => browser.call('POST', '/auth/sign-out', {}))
    expect(codes).toEqual(all(rowsWithBody, 'not_signed_in'))
    await signIn()
  })

  test('is not waited for where nobody is signed in', async () => {
    const path = `/console/teams/${teamId}/keys`
    const stranger = createBrowserSession(gateway.baseUrl)
    const headers = { origin: stranger.origin, 'content-type': 'application/json' }
    const answer = await new Promise((resolve, reject) => {
      const body = Buffer.alloc(1_000, ' ')
      const request = { method: 'POST', path, headers: { ...headers, cookie: 'svc.session_token=a.b' }, body }
      holdRequest(gateway.baseUrl, request, resolve).catch(reject)
    })
    expect(answer).toMatchObject({ status: 401, code: 'not_signed_in' })
  })
})
