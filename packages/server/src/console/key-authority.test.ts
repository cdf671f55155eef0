/** Authority over a key follows the people who have seen its secret. */
import { teamRoles } from '@svc/contract'
import { CompiledQuery } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { BrowserSession } from '../../testing/browser-session.ts'
import { peopleEnv, refusalOf, signInByMail, visitOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'
import { can, type Role } from '../access/teams/permissions.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

const HOUR_MS = 3_600_000

interface Made {
  readonly id: string
  readonly key: string
}

interface Shown {
  readonly status: string
  readonly rotate_by: number | null
  readonly seen_by: readonly { readonly id: string; readonly name: string }[]
}

interface Person {
  readonly browser: BrowserSession
  readonly userId: string
}

describeEachEngine('who may use a key', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => ({ engine, clock: { now: () => Date.now() + aheadMs }, env: peopleEnv(mail) }))
  let owner: Person
  let admin: Person
  let aheadMs = 0
  let members = 0
  beforeAll(async () => {
    owner = await open('owner@example.com')
    admin = await open('admin@example.com')
  })

  const open = async (email: string): Promise<Person> => {
    const browser = await signInByMail(gateway, mail, email)
    return { browser, userId: (await visitOf(browser)).user?.id ?? '' }
  }
  /** A team with credits, with its owner and an admin. */
  const makeTeam = async () => {
    const { teamId } = await createTestAccount(gateway.gateway, '500', `Team ${++members}`)
    const base = `/console/teams/${teamId}`
    const store = createTeamStore(gateway.gateway.database)
    const add = (person: Person, role: Role) =>
      store.addMember({ teamId, userId: person.userId, role, createdAt: Date.now() })
    await add(owner, 'owner')
    await add(admin, 'admin')
    return { base, teamId, add }
  }
  const make = ({ browser }: Person, base: string, kind?: 'personal' | 'service'): Promise<Made> =>
    browser.json<Made>('POST', `${base}/keys`, { name: 'x', ...(kind === undefined ? {} : { kind }) })
  const rotate = ({ browser }: Person, base: string, id: string, hours = 0): Promise<Made> =>
    browser.json<Made>('POST', `${base}/keys/${id}/rotate`, { overlap_hours: hours })
  const setRole = ({ userId }: Person, base: string, role: Role) =>
    owner.browser.json('PATCH', `${base}/members/${userId}`, { role })
  const show = (base: string, id: string): Promise<Shown> => owner.browser.json<Shown>('GET', `${base}/keys/${id}`)
  const chat = async (key: string): Promise<number> => {
    const messages = [{ role: 'user', content: 'Hello!' }]
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'svc-gpt', messages, max_tokens: 4 })
    const response = await gateway.fetch('/v1/chat/completions', { method: 'POST', key, headers, body })
    await response.text()
    return response.status
  }
  const statusesOf = async (...keys: readonly Made[]): Promise<number[]> => {
    const statuses: number[] = []
    for (const { key } of keys) statuses.push(await chat(key))
    return statuses
  }

  test.each(['viewer', 'billing'] as const)('a member who is made %s loses their own keys at once', async (role) => {
    const { base, add } = await makeTeam()
    const member = await open(`${role}@example.com`)
    await add(member, 'member')
    const keys = [await make(member, base), await make(owner, base)]
    const played = await member.browser.json<Made>('POST', `${base}/playground-key`)
    expect(await statusesOf(...keys, played)).toEqual([200, 200, 200])
    await setRole(member, base, role)
    expect(await statusesOf(...keys, played)).toEqual([401, 200, 401])
    expect(await show(base, keys[0]?.id ?? '')).toMatchObject({ status: 'revoked' })
  })

  test('a rotated key ends with the people who have seen its new secret, at once where that is asked for', async () => {
    const { base } = await makeTeam()
    const [mine, untouched] = [await make(owner, base), await make(owner, base)]
    const rotated = await rotate(admin, base, mine.id, 24)
    expect((await show(base, rotated.id)).seen_by.map(({ id }) => id)).toEqual([admin.userId])
    expect((await show(base, untouched.id)).seen_by).toEqual([
      { id: owner.userId, name: 'owner', at: expect.any(Number) },
    ])
    expect(await statusesOf(mine, rotated, untouched)).toEqual([200, 200, 200])
    await owner.browser.json('DELETE', `${base}/members/${admin.userId}?keys=revoke`)
    expect(await statusesOf(mine, rotated, untouched)).toEqual([200, 401, 200])
  })

  test('one departure stops no production: a service key works for the overlap, then ends', async () => {
    const { base } = await makeTeam()
    const production = await make(admin, base, 'service')
    const own = await make(admin, base)
    await owner.browser.json('POST', `${base}/rotation-overlap`, { hours: 2 })
    await owner.browser.json('DELETE', `${base}/members/${admin.userId}`)
    expect(await statusesOf(production, own)).toEqual([200, 401])
    const { rotate_by: rotateBy, status } = await show(base, production.id)
    expect([status, rotateBy]).toEqual(['active', expect.any(Number)])
    expect(Math.abs((rotateBy ?? 0) * 1_000 - (Date.now() + aheadMs) - 2 * HOUR_MS)).toBeLessThan(HOUR_MS / 2)
    // A longer life is no way around it, and its successor has none of it.
    await owner.browser.json('PATCH', `${base}/keys/${production.id}`, { expires_at: null })
    const successor = await rotate(owner, base, production.id, 168)
    expect(await show(base, successor.id)).toMatchObject({ rotate_by: null, seen_by: [{ id: owner.userId }] })
    aheadMs += 2 * HOUR_MS
    expect(await statusesOf(production, successor)).toEqual([401, 200])
    expect(await show(base, production.id)).toMatchObject({ status: 'expired' })
    aheadMs -= 2 * HOUR_MS
  })

  test('an overlap of nothing ends what a departed person has seen at once, and only an owner sets it', async () => {
    const { base } = await makeTeam()
    const keys = [await make(admin, base, 'service'), await make(owner, base, 'service')]
    const refused = await admin.browser.call('POST', `${base}/rotation-overlap`, { hours: 0 })
    expect(await refusalOf(refused)).toEqual([403, 'role_denied'])
    for (const hours of [-1, 25, 1.5]) {
      const wrong = await owner.browser.call('POST', `${base}/rotation-overlap`, { hours })
      expect(await refusalOf(wrong)).toEqual([400, 'invalid_value'])
    }
    await owner.browser.json('POST', `${base}/rotation-overlap`, { hours: 0 })
    expect(await owner.browser.json('GET', `${base}/settings`)).toMatchObject({ rotation_overlap_hours: 0 })
    await admin.browser.json('DELETE', `${base}/membership`)
    expect(await statusesOf(...keys)).toEqual([401, 200])
  })

  test('a member who may not handle all keys any more keeps their own, and the others that they have seen end', async () => {
    const { base } = await makeTeam()
    const own = await make(admin, base)
    const seen = [await make(admin, base, 'service'), await rotate(admin, base, (await make(owner, base)).id)]
    await setRole(admin, base, 'member')
    expect(await statusesOf(own, ...seen)).toEqual([200, 200, 200])
    for (const { id } of seen) expect((await show(base, id)).rotate_by).not.toBeNull()
    expect((await show(base, own.id)).rotate_by).toBeNull()
    const denied = await admin.browser.call('POST', `${base}/keys`, { name: 'x', kind: 'service' })
    expect(await refusalOf(denied)).toEqual([403, 'role_denied'])
  })

  test('a role that stays takes nothing', async () => {
    const { base } = await makeTeam()
    const keys = [await make(owner, base), await make(owner, base, 'service')]
    const last = await owner.browser.call('PATCH', `${base}/members/${owner.userId}`, { role: 'viewer' })
    expect(await refusalOf(last)).toEqual([409, 'last_owner'])
    expect(await statusesOf(...keys)).toEqual([200, 200])
    expect((await show(base, keys[1]?.id ?? '')).rotate_by).toBeNull()
  })

  test('no key is made for a member who lost the right to it at the same moment', async () => {
    const { base, add, teamId } = await makeTeam()
    const member = await open('racer@example.com')
    await add(member, 'member')
    const making = Array.from({ length: 6 }, () => member.browser.call('POST', `${base}/keys`, { name: 'x' }))
    const leaving = createTeamStore(gateway.gateway.database).removeMember({
      ...{ teamId, userId: member.userId, from: 'member', now: Date.now() },
    })
    const answers = await Promise.all(making)
    expect(await leaving).toBe(true)
    for (const answer of answers.filter(({ ok }) => ok)) {
      expect(await chat(((await answer.json()) as Made).key)).toBe(401)
    }
  })

  test('a person whose account is deleted takes their own keys along', async () => {
    const { base, add } = await makeTeam()
    const member = await open('deleted@example.com')
    await add(member, 'member')
    const key = await make(member, base)
    const { database } = gateway.gateway
    await database.write([CompiledQuery.raw(`delete from sign_in_user where id = '${member.userId}'`)])
    expect((await gateway.fetch('/v1/balance', { key: key.key })).status).toBe(401)
  })

  test('the rows that let a person have keys are those of the roles that may', async () => {
    const { teamId } = await createTestAccount(gateway.gateway, '5', 'Roles')
    const store = createTeamStore(gateway.gateway.database)
    const { read } = gateway.gateway.database
    for (const role of teamRoles) {
      const person = await open(`role-${role}@example.com`)
      await store.addMember({ teamId, userId: person.userId, role, createdAt: 1 })
      const rows = await read.selectFrom('team_key_holder').selectAll().where('user_id', '=', person.userId).execute()
      const held = rows.some((row) => row.team_id === teamId)
      expect([role, held]).toEqual([role, can(role, 'keys:own')])
      expect([role, held]).toEqual([role, can(role, 'play')])
    }
  })

  test('a revoked key is answered nothing by the process that revoked it, not even what costs nothing', async () => {
    const { base } = await makeTeam()
    const made = await make(owner, base)
    const ask = (path: string, body: object, name?: string) =>
      gateway.fetch(path, {
        ...{ method: 'POST', key: made.key, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', ...(name === undefined ? {} : { 'idempotency-key': name }) },
      })
    const messages = [{ role: 'user', content: 'Hello!' }]
    const calls = [
      () => ask('/v1/chat/completions', { model: 'svc-gpt', messages, max_tokens: 4 }, 'once'),
      () => ask('/v1/messages/count_tokens', { model: 'svc-gpt', messages }),
      () => gateway.fetch('/v1/usage', { key: made.key }),
      () => gateway.fetch('/v1/balance', { key: made.key }),
    ]
    const statuses = async () => {
      const seen: number[] = []
      for (const call of calls) {
        const answer = await call()
        await answer.text()
        seen.push(answer.status)
      }
      return seen
    }
    expect(await statuses()).toEqual([200, 200, 200, 200])
    await owner.browser.json('DELETE', `${base}/keys/${made.id}`)
    expect(await statuses()).toEqual([401, 401, 401, 401])
  })
})
