import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createInvitationStore } from './invitation-store.ts'
import { createTeam } from './team-settings.ts'
import { createTeamStore } from './team-store.ts'

const NOW = 1_800_000_000_000
const TWENTY = 20

describeEachEngine('what one person or team may have', (engine) => {
  let open: TestDatabase
  beforeAll(async () => {
    open = await openTestDatabase(engine)
  })
  afterAll(() => open.close())

  async function addPerson(id: string): Promise<void> {
    const [made, verified] = [new Date(NOW).toISOString(), engine === 'postgres' ? sql`true` : sql`1`]
    const person = sql`insert into sign_in_user (id, name, email, email_verified, created_at, updated_at)
      values (${id}, ${id}, ${`${id}@example.com`}, ${verified}, ${made}, ${made})`
    await open.database.write([person.compile(open.database.read)])
  }
  const atOnce = async <Result>(count: number, work: (at: number) => Promise<Result>): Promise<Result[]> => {
    // Each has a connection of its own by then.
    await Promise.all(Array.from({ length: 8 }, () => sql`select 1`.execute(open.database.read)))
    return Promise.all(Array.from({ length: count }, (_, at) => work(at)))
  }

  test('holds for teams that are made at the same moment', async () => {
    await addPerson('ada')
    const store = createTeamStore(open.database)
    const deps = { store, clock: { now: () => NOW } }
    const made = await atOnce(TWENTY + 4, (at) =>
      createTeam(deps, { userId: 'ada', teamName: `Team ${at}` }).then(
        () => 'made',
        (error: { code: string }) => error.code,
      ),
    )
    expect(made.filter((outcome) => outcome === 'limit_reached')).toHaveLength(4)
    expect(await store.listMemberships('ada')).toHaveLength(TWENTY)
    const accounts = await open.database.read.selectFrom('account').select('name').execute()
    expect(accounts.filter(({ name }) => name.startsWith('Team '))).toHaveLength(TWENTY)
  })

  test('holds for invitations that are written at the same moment, and one in the place of another counts once', async () => {
    await addPerson('eve')
    const { teamId } = await seedCaller(open.database)
    await createTeamStore(open.database).addMember({ teamId, userId: 'eve', role: 'owner', createdAt: NOW })
    const store = createInvitationStore(open.database)
    const invite = (email: string, at: number) =>
      store.insert(
        {
          ...{ invitationId: `invitation-${at}`, teamId, email, role: 'member', tokenHash: `hash-${at}` },
          ...{ invitedBy: 'eve', now: NOW, expiresAt: NOW + 1, by: { teamId, userId: 'eve', roles: ['owner'] } },
        },
        3,
      )
    const written = await atOnce(8, (at) => invite(`person-${at}@example.com`, at))
    expect(written.filter(Boolean)).toHaveLength(3)
    const [first] = await store.listOpen(teamId, 10)
    expect(await invite(first!.email, 9)).toBe(true)
    expect(await invite('another@example.com', 10)).toBe(false)
    expect(await store.listOpen(teamId, 10)).toHaveLength(3)
  })
})
