/** Videos of several gateways as operators run them: real processes on one database. */
import { describe, expect, test } from 'vitest'
import { openGatewayProcesses } from '../../packages/server/testing/gateway-process.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { startStubVideoUpstream } from '../../packages/server/testing/stub-video-upstream.ts'
import { describeEachEngine, findPostgres } from '../../packages/server/testing/test-database.ts'
import { runVideoKills } from '../../proof/videos/run-video-kills.ts'
import { VIDEO_MODEL } from '../video-gateway.ts'

const KILLS = 3
const { seed } = createRandom()

describeEachEngine('killed between the end of a video and its charge', (engine) => {
  test(`each video is charged once (seed ${seed})`, async () => {
    const report = await runVideoKills({ engine, seed, kills: KILLS, postgresUrl: findPostgres() })
    expect(report.faults).toEqual([])
  })
})

describe.skipIf(findPostgres() === null)('three processes on one database', () => {
  // Case B109.
  test('a hundred polls that see the end of a video at the same moment charge it once', async () => {
    const upstream = await startStubVideoUpstream()
    const all = await openGatewayProcesses({ engine: 'postgres', upstreamUrl: upstream.url, credits: '10000' })
    const processes = await Promise.all([all.start(), all.start(), all.start()])
    const [first] = processes
    const body = JSON.stringify({ model: VIDEO_MODEL, prompt: 'A boat.', duration: 4 })
    const headers = { 'content-type': 'application/json' }
    const submitted = await first.fetch('/v1/videos/generations', { method: 'POST', headers, body })
    const { id } = (await submitted.json()) as { readonly id: string }
    upstream.complete(upstream.jobs[0], '0.2')
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const response = await processes[at % 3]!.fetch(`/v1/videos/${id}`)
        return (await response.json()) as {
          readonly status: string
          readonly svc: { readonly credits_charged: number }
        }
      }),
    )
    expect(new Set(answers.map(({ status, svc }) => `${status} ${svc.credits_charged}`))).toEqual(
      new Set(['completed 240']),
    )
    const captures = await all.database.read
      .selectFrom('transfer')
      .select('charge')
      .where('kind', '=', 'capture')
      .execute()
    expect(captures).toEqual([{ charge: 240_000_000_000n }])
    expect(await all.balance()).toEqual({ posted: 9_760_000_000_000n, held: 0n })
    await all.stop()
    await upstream.close()
  })

  // Source: decision 0088.
  test('a file that is not there yet is in progress for all of them, and charged once when it is', async () => {
    const upstream = await startStubVideoUpstream()
    const all = await openGatewayProcesses({ engine: 'postgres', upstreamUrl: upstream.url, credits: '10000' })
    const processes = await Promise.all([all.start(), all.start(), all.start()])
    const body = JSON.stringify({ model: VIDEO_MODEL, prompt: 'A boat.', duration: 4 })
    const headers = { 'content-type': 'application/json' }
    const submitted = await processes[0].fetch('/v1/videos/generations', { method: 'POST', headers, body })
    const { id } = (await submitted.json()) as { readonly id: string }
    const pollAll = async (): Promise<ReadonlySet<string>> => {
      const states = Array.from({ length: 30 }, async (_, at) => {
        const response = await processes[at % 3]!.fetch(`/v1/videos/${id}`)
        return ((await response.json()) as { readonly status: string }).status
      })
      return new Set(await Promise.all(states))
    }
    const captures = () =>
      all.database.read.selectFrom('transfer').select('charge').where('kind', '=', 'capture').execute()
    upstream.file.isGone = true
    upstream.complete(upstream.jobs[0], '0.2')
    expect(await pollAll()).toEqual(new Set(['in_progress']))
    expect(await captures()).toEqual([])
    upstream.file.isGone = false
    // A poll while it was missing may be answered so; a poll now reads the end.
    expect(await pollAll()).toEqual(new Set(['completed']))
    expect(await captures()).toEqual([{ charge: 240_000_000_000n }])
    // The next one was missed half an hour ago by its row. Processes that have just started do not believe their clock yet.
    const again = await processes[1].fetch('/v1/videos/generations', { method: 'POST', headers, body })
    const { id: second } = (await again.json()) as { readonly id: string }
    upstream.complete(upstream.jobs[1], '0.2')
    upstream.file.isGone = true
    await processes[2].fetch(`/v1/videos/${second}`)
    const missed = all.database.read
      .updateTable('video_job')
      .set({ file_missed_at: Date.now() - 30 * 60_000 })
      .where('job_id', '=', second)
    await all.database.write([missed.compile()])
    const shown = await Promise.all(processes.map(async (each) => (await each.fetch(`/v1/videos/${second}`)).json()))
    expect(shown).toEqual(processes.map(() => expect.objectContaining({ status: 'in_progress' })))
    upstream.file.isGone = false
    expect(await (await processes[0].fetch(`/v1/videos/${second}`)).json()).toMatchObject({ status: 'completed' })
    expect(await all.balance()).toEqual({ posted: 9_520_000_000_000n, held: 0n })
    await all.stop()
    await upstream.close()
  })
})
