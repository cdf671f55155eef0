/** Responses that a team has stored: off by default, the team's alone, sealed, bounded, and gone when it says so. */
import OpenAI from 'openai'
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { STORED_MS } from '../packages/server/src/admission/idempotency/stored-responses.ts'
import { createTeamSettingsStore } from '../packages/server/src/access/teams/team-settings-store.ts'
import { sendCompletion, sendStream } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { failureOf } from './charge-of.ts'

const model = 'svc-gpt'
const SECRET = 'The parrot is called Lorca.'

describeEachEngine('a stored response', (engine) => {
  const stub = useStubUpstream()
  let now = Date.now()
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url, credits: '1000', clock: { now: () => now } }))
  const client = (apiKey: string) => new OpenAI({ baseURL: gateway.v1, apiKey, maxRetries: 0 })
  const ask = (apiKey: string, more: Partial<ResponseCreateParamsNonStreaming>) =>
    client(apiKey).responses.create({ model, input: SECRET, ...more })
  const messages = () => stub.chats.at(-1)?.json?.['messages'] as { role: string; content: unknown }[]
  const rows = () => gateway.gateway.database.read.selectFrom('stored_response').selectAll().execute()

  async function makeTeam(stores: boolean): Promise<{ readonly teamId: string; readonly key: string }> {
    const team = await createTestAccount(gateway.gateway, '1000')
    const settings = createTeamSettingsStore(gateway.gateway.database)
    if (stores) await settings.setResponseStorage(team.teamId, 1)
    return { teamId: team.teamId, key: (await gateway.createKey({ ...team, name: 'stores' })).rawKey }
  }

  let team: Awaited<ReturnType<typeof makeTeam>>
  beforeAll(async () => {
    team = await makeTeam(true)
  })
  beforeEach(() => {
    stub.chats.length = 0
    stub.onChat = ({ wantsStream }, response) =>
      wantsStream ? sendStream(response, { words: ['Not', 'ed.'] }) : sendCompletion(response, { text: 'Noted.' })
  })

  test('is none by default: the request is served, and says so', async () => {
    const answer = await ask(gateway.key, { store: true })
    expect(answer).toMatchObject({ store: false, output_text: 'Noted.' })
    expect(await failureOf(client(gateway.key).responses.retrieve(answer.id))).toMatchObject({
      ...{ status: 404, code: 'response_not_found', param: 'response_id' },
    })
    expect(await failureOf(ask(gateway.key, { previous_response_id: answer.id }))).toMatchObject({
      ...{ status: 400, code: 'unsupported_parameter', param: 'previous_response_id' },
    })
    expect(await rows()).toEqual([])
  })

  test('says when it was begun and, once it is whole, when it was completed', async () => {
    const { key } = team
    const slowly = (finishReason: string) => {
      stub.onChat = ({ wantsStream }, response) => {
        now += 7_000
        if (wantsStream) sendStream(response)
        else sendCompletion(response, { finishReason })
      }
    }
    const times = ({ created_at: begun, completed_at: completed }: OpenAI.Responses.Response) => [begun, completed]
    slowly('stop')
    const begunAt = Math.floor(now / 1_000)
    const whole = await ask(key, {})
    expect(times(whole)).toEqual([begunAt, begunAt + 7])
    expect(times(await client(key).responses.retrieve(whole.id))).toEqual([begunAt, begunAt + 7])
    const seen: unknown[] = []
    for await (const event of await client(key).responses.create({ model, input: SECRET, stream: true })) {
      if ('response' in event) seen.push([event.type, ...times(event.response)])
    }
    const [streamBegun, streamEnded] = [begunAt + 7, begunAt + 14]
    expect(seen).toEqual([
      ['response.created', streamBegun, null],
      ['response.in_progress', streamBegun, null],
      ['response.completed', streamBegun, streamEnded],
    ])
    slowly('length')
    expect(times(await ask(key, {}))).toEqual([streamEnded, null])
  })

  test('is fetched, gone on from over turns, whole and streamed, and deleted', async () => {
    const { key } = team
    const first = await ask(key, { instructions: 'Be brief.' })
    expect(first).toMatchObject({ store: true, previous_response_id: null })
    const stream = client(key).responses.stream({ model, input: 'Say it.', previous_response_id: first.id })
    const second = await stream.finalResponse()
    const third = await ask(key, { input: 'Again.', previous_response_id: second.id })
    expect(third).toMatchObject({ store: true, previous_response_id: second.id })
    const said = messages().map(({ role, content }) => [role, Array.isArray(content) ? content[0].text : content])
    expect(said).toEqual([
      ['user', SECRET],
      ['assistant', 'Noted.'],
      ['user', 'Say it.'],
      ['assistant', 'Noted.'],
      ['user', 'Again.'],
    ])
    const { id, status, usage, svc } = second as typeof second & { svc: unknown }
    const [message] = second.output
    const fetched = await client(key).responses.retrieve(second.id)
    expect(fetched).toMatchObject({ id, status, usage, svc, store: true, output_text: 'Noted.' })
    expect(fetched.output[0]?.id).toBe(message?.id)
    const { data } = await client(key).responses.inputItems.list(second.id)
    expect(data).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say it.' }] }])
    await client(key).responses.delete(second.id)
    for (const gone of [
      () => client(key).responses.retrieve(second.id),
      () => client(key).responses.delete(second.id),
      async () => void (await client(key).responses.inputItems.list(second.id)),
    ]) {
      expect(await failureOf(gone())).toMatchObject({ status: 404, code: 'response_not_found' })
    }
    stub.chats.length = 0
    expect(await failureOf(ask(key, { previous_response_id: third.id }))).toMatchObject({
      ...{ status: 400, code: 'invalid_value', param: 'previous_response_id' },
    })
    expect(stub.chats).toEqual([])
  })

  test('is not stored where its request says so, or where it failed', async () => {
    const before = (await rows()).length
    expect(await ask(team.key, { store: false })).toMatchObject({ store: false })
    stub.onChat = (_call, response) => void response.writeHead(500).end()
    await failureOf(ask(team.key, {}))
    expect(await rows()).toHaveLength(before)
  })

  test('lists what was asked in pages', async () => {
    const input = ['one', 'two', 'three'].map((content) => ({ role: 'user' as const, content }))
    const { id } = await ask(team.key, { input })
    const seen: string[] = []
    for await (const item of client(team.key).responses.inputItems.list(id, { limit: 2, order: 'asc' })) {
      const [part] = item.type === 'message' ? item.content : []
      seen.push(part?.type === 'input_text' ? part.text : '')
    }
    expect(seen).toEqual(['one', 'two', 'three'])
    expect(
      await failureOf(
        client(team.key)
          .responses.inputItems.list(id, { after: 'x' })
          .then(() => null),
      ),
    ).toMatchObject({
      ...{ status: 400, param: 'after' },
    })
  })

  test('belongs to its team', async () => {
    const other = await makeTeam(true)
    const { id } = await ask(team.key, {})
    for (const gone of [() => client(other.key).responses.retrieve(id), () => client(other.key).responses.delete(id)]) {
      expect(await failureOf(gone())).toMatchObject({ status: 404, code: 'response_not_found' })
    }
    expect(await failureOf(ask(other.key, { previous_response_id: id }))).toMatchObject({ status: 400 })
    expect(await client(team.key).responses.retrieve(id)).toMatchObject({ id })
  })

  test('is sealed: nothing of it can be read in the database, nor opened as another', async () => {
    const { id } = await ask(team.key, {})
    const stored = await rows()
    const text = JSON.stringify(stored)
    for (const word of [SECRET, 'Lorca', Buffer.from(SECRET).toString('base64'), 'Noted.'])
      expect(text).not.toContain(word)
    const [one] = stored.filter((row) => row.response_id === id)
    const copy = { ...one, response_id: 'resp_copy' } as (typeof stored)[number]
    await gateway.gateway.database.write([
      gateway.gateway.database.read.insertInto('stored_response').values(copy).compile(),
    ])
    expect(await failureOf(client(team.key).responses.retrieve('resp_copy'))).toMatchObject({ status: 404 })
  })

  test('is gone with the switch, and after its time', async () => {
    const other = await makeTeam(true)
    const { id } = await ask(other.key, {})
    await createTeamSettingsStore(gateway.gateway.database).setResponseStorage(other.teamId, null)
    expect((await rows()).filter((row) => row.team_id === other.teamId)).toEqual([])
    expect(await failureOf(client(other.key).responses.retrieve(id))).toMatchObject({ status: 404 })
    const kept = await ask(team.key, {})
    now += STORED_MS + 1
    expect(await failureOf(client(team.key).responses.retrieve(kept.id))).toMatchObject({ status: 404 })
  })
})
