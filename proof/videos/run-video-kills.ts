/**
 * Kills a gateway between its upstream's word that a video is completed and the charge, again and again: each video
 * must be charged once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { startStubVideoUpstream } from '../../packages/server/testing/stub-video-upstream.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'
import { openRig, type Rig } from '../rig/gateway-rig.ts'
import { auditFaults, stopInOrder } from '../rig/stop-in-order.ts'

export interface VideoKillOptions {
  readonly engine: DatabaseEngine
  readonly seed: number
  readonly kills: number
  /** Address of a PostgreSQL server; null starts one where one is needed. */
  readonly postgresUrl: string | null
}

export interface VideoKillReport {
  readonly kills: number
  /** Videos whose charge was in the books when their process was killed. */
  readonly chargedBefore: number
  /** What went wrong; empty when every video was charged once. */
  readonly faults: readonly string[]
}

const MODEL = 'openrouter/google/veo-3.1-lite'
/** In nanocredits: 0.2 USD and the margin. */
const CHARGE = 240_000_000_000n
const READERS = 5
/** The most that a kill waits after the upstream's answer, in milliseconds. */
const DELAY_MS_MAX = 30

interface Stage {
  readonly rig: Rig
  readonly key: string
}

async function call({ key }: Stage, port: number, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, init)
  return (await response.json()) as Record<string, unknown>
}

async function capturesOf({ rig }: Stage, jobId: string): Promise<readonly bigint[]> {
  const rows = await rig.database.read
    .selectFrom('transfer as t')
    .innerJoin('video_job as j', 'j.hold_id', 't.hold_id')
    .select('t.charge')
    .where('j.job_id', '=', jobId)
    .execute()
  return rows.map((row) => row.charge)
}

/** Plays it. */
export async function runVideoKills({ engine, seed, kills, postgresUrl }: VideoKillOptions): Promise<VideoKillReport> {
  const random = createRandom(seed)
  const upstream = await startStubVideoUpstream()
  const rig = await openRig({ engine, postgresUrl, upstreamUrl: upstream.url })
  const faults: string[] = []
  let chargedBefore = 0
  try {
    const owner = await rig.createAccount('videos', 1_000_000n)
    const stage: Stage = { rig, key: (await rig.createKey(owner)).rawKey }
    const port = await findFreePort()
    let gateway: GatewayProcess = await rig.start(port)
    for (let kill = 0; kill < kills; kill++) {
      const submitted = await call(stage, port, '/videos/generations', { model: MODEL, prompt: 'A boat.', duration: 4 })
      const id = String(submitted['id'])
      const told = Promise.withResolvers<void>()
      upstream.intercept = ({ method }, response) => {
        if (method === 'GET') response.once('finish', () => told.resolve())
        return false
      }
      upstream.complete(upstream.jobs.at(-1), '0.2')
      const readers = Array.from({ length: READERS }, () => call(stage, port, `/videos/${id}`).catch(() => null))
      await told.promise
      await wait(random.below(DELAY_MS_MAX))
      gateway.signal('SIGKILL')
      await gateway.exited
      await Promise.all(readers)
      chargedBefore += (await capturesOf(stage, id)).length
      gateway = await rig.start(port)
      const after = await Promise.all(Array.from({ length: READERS }, () => call(stage, port, `/videos/${id}`)))
      const captures = await capturesOf(stage, id)
      const isOnce = captures.length === 1 && captures[0] === CHARGE
      if (!isOnce) faults.push(`video ${id} was charged ${captures.join(' and ') || 'nothing'}`)
      if (after.some(({ status }) => status !== 'completed')) faults.push(`video ${id} is not told as completed`)
    }
    faults.push(...(await stopInOrder(rig, gateway)), ...(await auditFaults(rig)))
    return { kills, chargedBefore, faults }
  } finally {
    await rig.close()
    await upstream.close()
  }
}
