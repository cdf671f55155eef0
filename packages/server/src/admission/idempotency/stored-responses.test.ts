/** What a team may have stored has bounds in length, in a day, in all and in time. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { KeptSpace } from './kept-space.ts'
import { createStoredResponseStore, type StoredResponseStore } from './stored-response-store.ts'
import {
  createStoredResponses,
  STORED_LENGTH_MAX,
  STORED_MS,
  type StoredResponses,
  TURNS_MAX,
} from './stored-responses.ts'

const secrets = [{ version: 1, secret: 'a secret of this test' }] as const

describeEachEngine('stored responses', (engine) => {
  let opened: TestDatabase
  let store: StoredResponseStore
  let responses: StoredResponses
  let now = 1_000
  const teams: string[] = []

  const open = (room: number): StoredResponses =>
    createStoredResponses({
      ...{ store, secrets, clock: { latest: () => now, earliest: () => now } },
      space: new KeptSpace({ now: () => now }, room),
    })
  const turn = (id: string, previous: string | null = null, said = '') => ({
    ...{ input: [{ role: 'user', content: said }], response: { id }, previous },
  })
  const idsOf = async (teamId: string): Promise<string[]> => {
    const query = opened.database.read.selectFrom('stored_response').select('response_id').where('team_id', '=', teamId)
    return (await query.orderBy('created_at').execute()).map((row) => row.response_id)
  }

  beforeEach(async () => {
    opened = await openTestDatabase(engine)
    now = 1_000
    teams.length = 0
    for (let index = 0; index < 2; index++) {
      const { teamId } = await seedCaller(opened.database)
      const on = opened.database.read.insertInto('response_storage').values({ team_id: teamId, created_at: 1 })
      await opened.database.write([on.compile()])
      teams.push(teamId)
    }
    store = createStoredResponseStore(opened.database)
    responses = open(1_000_000_000)
  })
  afterEach(() => opened.close())

  test('of more than a team may keep the oldest go, of that team alone', async () => {
    const [team = '', other = ''] = teams
    for (const id of ['a', 'b', 'c', 'd']) {
      now++
      await responses.keep(team, id, turn(id))
    }
    await responses.keep(other, 'x', turn('x'))
    await store.removeBeyond({ rows: 3, length: 1_000_000 })
    expect(await idsOf(team)).toEqual(['b', 'c', 'd'])
    const one = (await store.find({ team_id: team, response_id: 'd' }))?.length ?? 0
    await store.removeBeyond({ rows: 3, length: 2 * one })
    expect([await idsOf(team), await idsOf(other)]).toEqual([['c', 'd'], ['x']])
  })

  test('one that is too long, or beyond the room of the day, is not kept', async () => {
    const [team = ''] = teams
    await responses.keep(team, 'long', turn('long', null, 'x'.repeat(STORED_LENGTH_MAX)))
    const narrow = open(150)
    await narrow.keep(team, 'first', turn('first'))
    await narrow.keep(team, 'second', turn('second', null, 'x'.repeat(100)))
    expect(await idsOf(team)).toEqual(['first'])
  })

  test('one that is too old is not found, and forgotten', async () => {
    const [team = ''] = teams
    await responses.keep(team, 'a', turn('a'))
    now += STORED_MS
    expect(await responses.find(team, 'a')).toBeNull()
    await responses.tidy()
    expect(await idsOf(team)).toEqual([])
  })

  test('turns come in their order, whole or not at all, and only so many', async () => {
    const [team = ''] = teams
    await responses.keep(team, 't0', turn('t0'))
    for (let index = 1; index <= TURNS_MAX; index++) {
      await responses.keep(team, `t${index}`, turn(`t${index}`, `t${index - 1}`))
    }
    const found = await responses.findTurns(team, 't2')
    expect(found?.map(({ response }) => response['id'])).toEqual(['t0', 't1', 't2'])
    await expect(responses.findTurns(team, `t${TURNS_MAX}`)).rejects.toMatchObject({ code: 'request_too_large' })
    expect(await responses.remove(team, 't1')).toBe(true)
    expect(await responses.remove(team, 't1')).toBe(false)
    expect(await responses.findTurns(team, 't2')).toBeNull()
  })

  test('a team that stores no longer has none, and gets none', async () => {
    const [team = ''] = teams
    await responses.keep(team, 'a', turn('a'))
    await opened.database.write([
      opened.database.read.deleteFrom('response_storage').where('team_id', '=', team).compile(),
    ])
    expect(await idsOf(team)).toEqual([])
    await expect(responses.keep(team, 'b', turn('b'))).rejects.toThrow(/foreign key/i)
    expect(await idsOf(team)).toEqual([])
  })
})
