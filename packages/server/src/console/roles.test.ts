import { type ConsoleEndpoint, consoleEndpointList, type TeamPermission, type TeamRole, teamRoles } from '@svc/contract'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { createOperatorStore } from '../access/operators/operator-store.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

/** Who may do what, written down a second time: a change of the server's table must be meant. */
const ALLOWED: Readonly<Record<TeamPermission, readonly TeamRole[]>> = {
  'team:read': ['owner', 'admin', 'billing', 'member', 'viewer'],
  'team:manage': ['owner', 'admin'],
  'members:manage': ['owner', 'admin'],
  'keys:own': ['owner', 'admin', 'member'],
  'keys:all': ['owner', 'admin'],
  'keys:rotation': ['owner'],
  'usage:own': ['owner', 'admin', 'billing', 'member', 'viewer'],
  'usage:all': ['owner', 'admin', 'billing', 'viewer'],
  'deposits:manage': ['owner', 'admin', 'billing'],
  play: ['owner', 'admin', 'member'],
  'account:data': ['owner'],
}

const NEVER_FRESH_MS = 11 * 60_000
const CALL_MS = 100

type TeamRow = ConsoleEndpoint & { readonly permission: TeamPermission }

const teamRows = consoleEndpointList.filter((row): row is typeof row & TeamRow =>
  Object.keys(ALLOWED).includes(String(row.permission)),
)

const operatorRows = consoleEndpointList.filter(({ permission }) => permission === 'operator')

function pathOf(row: ConsoleEndpoint, teamId: string): string {
  return row.path.replace('{team_id}', teamId).replaceAll(/\{\w+\}/g, 'nothing')
}

describeEachEngine('rows of the console', (engine) => {
  const gateway = useGateway(() => ({ engine, clock: { now } }))
  let browser: BrowserSession
  let aheadMs = 0
  /** Grows with every call, so that a person's own limit is never what answers. */
  let driftMs = 0
  const now = (): number => Date.now() + aheadMs + driftMs
  const teams = new Map<TeamRole, string>()
  const members: { teamId: string; userId: string; role: TeamRole; createdAt: number }[] = []

  beforeAll(async () => {
    const address = (await gateway.gateway.console.firstRunAddress()) ?? ''
    await createBrowserSession(gateway.baseUrl).json('POST', '/auth/first-run', {
      ...{ token: address.split('#')[1], email: 'operator@example.com', name: 'Operator' },
    })
    browser = createBrowserSession(gateway.baseUrl)
    await browser.json('POST', '/auth/sign-in/demo', {})
    const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
    for (const role of teamRoles) {
      const { teamId } = await createTestAccount(gateway.gateway, '5', role)
      teams.set(role, teamId)
      members.push({ teamId, userId: user.id, role, createdAt: Date.now() })
    }
  })
  // Some rows take the person out of a team.
  beforeEach(async () => {
    const store = createTeamStore(gateway.gateway.database)
    for (const member of members) await store.addMember(member)
  })

  async function codeOf(from: BrowserSession, row: ConsoleEndpoint, teamId: string): Promise<string | null> {
    driftMs += CALL_MS
    const response = await from.call(row.method, pathOf(row, teamId), row.request.body === undefined ? undefined : {})
    if (response.ok) return null
    const { error } = (await response.json()) as { error: { code: string } }
    return error.code
  }

  test('there are such rows, and each names its team', () => {
    expect(teamRows.length).toBeGreaterThan(5)
    expect(operatorRows.length).toBeGreaterThan(15)
    for (const { path } of teamRows) expect(path).toContain('/console/teams/{team_id}')
  })

  test.each(teamRows)('$id is for the roles that may do it, and no other', async (row) => {
    for (const role of teamRoles) {
      const code = await codeOf(browser, row, teams.get(role) ?? '')
      if (ALLOWED[row.permission].includes(role)) {
        expect([role, code]).not.toEqual([role, 'role_denied'])
        expect(
          ['team_not_found', 'not_signed_in', 'internal_error', 'unknown_url'],
          gateway.logged.at(-1),
        ).not.toContain(code)
      } else {
        expect([role, code]).toEqual([role, 'role_denied'])
      }
    }
  })

  test.each(teamRows)('$id does not tell whether a team exists that one is not in', async (row) => {
    expect(await codeOf(browser, row, gateway.teamId)).toBe('team_not_found')
    expect(await codeOf(browser, row, 'nothing')).toBe('team_not_found')
  })

  test('what operators do is for operators alone, whatever their role in a team', async () => {
    const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
    const operators = createOperatorStore(gateway.gateway.database)
    expect(await operators.remove(user.id)).toBe(true)
    for (const row of operatorRows) {
      expect(row.path).toContain('/console/operator/')
      expect([row.id, await codeOf(browser, row, '')]).toEqual([row.id, 'role_denied'])
    }
    await operators.add(user.id, Date.now())
    for (const row of operatorRows) {
      const code = await codeOf(browser, row, '')
      expect(['role_denied', 'not_signed_in', 'internal_error', 'unknown_url']).not.toContain(code)
    }
  })

  test.each(consoleEndpointList.filter(({ permission }) => permission !== 'public'))(
    '$id needs a session',
    async (row) => {
      expect(await codeOf(createBrowserSession(gateway.baseUrl), row, gateway.teamId)).toBe('not_signed_in')
    },
  )

  test.each(consoleEndpointList.filter(({ method }) => method !== 'GET'))(
    '$id is done for pages of this gateway alone',
    async (row) => {
      const foreign = createBrowserSession(gateway.baseUrl, { origin: 'https://evil.example' })
      for (const [name, value] of browser.cookies) foreign.cookies.set(name, value)
      expect(await codeOf(foreign, row, teams.get('owner') ?? '')).toBe('foreign_origin')
    },
  )

  test.each(consoleEndpointList.filter(({ isSensitive }) => isSensitive))(
    '$id needs a sign-in of the last minutes',
    async (row) => {
      aheadMs = NEVER_FRESH_MS
      try {
        expect(await codeOf(browser, row, teams.get('owner') ?? '')).toBe('sign_in_again')
      } finally {
        aheadMs = 0
      }
    },
  )
})
