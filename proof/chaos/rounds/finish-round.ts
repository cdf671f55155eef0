/**
 * What comes after the load, whatever has happened under it: all holds end, every gateway gets well, every
 * Idempotency-Key is asked again, and what clients were told, the ledger and the invoice are compared.
 */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { logInvariant } from '../../../packages/server/src/money/ledger-log/audit-log.ts'
import { runAudit } from '../../../packages/server/src/money/ledger/audit.ts'
import type { Random } from '../../../packages/server/testing/random.ts'
import type { Rig } from '../../rig/gateway-rig.ts'
import { until } from '../../rig/until.ts'
import { judgeRound } from './judge-round.ts'
import { askPaid, type PaidAttempt, readVideo } from './paid-client.ts'
import type { PaidStory, RoundKey } from './paid-load.ts'
import type { PaidPlan } from './paid-plan.ts'
import type { PaidLine } from './paid-upstream.ts'
import { readRoundBooks, type RoundBooks } from './round-books.ts'
import type { RoundFleet } from './round-fleet.ts'

export interface FinishStage {
  readonly rig: Rig
  readonly fleet: Pick<RoundFleet, 'ports' | 'unwell' | 'takeFaults' | 'takeLostLeases'>
  readonly clients: number
}

/** What was asked and answered under the load. */
export interface Loaded {
  readonly people: People
  readonly stories: readonly PaidStory[]
  readonly lines: readonly PaidLine[]
  readonly planOf: (tag: number) => PaidPlan
  /** A process was ended or cut off for long: what was not noted by then can be lost. */
  readonly losesProcess: boolean
}

export interface Finished {
  readonly faults: readonly string[]
  readonly exceptions: ReadonlyMap<string, number>
  readonly books: RoundBooks
  /** Idempotency-Keys that were asked again. */
  readonly replays: number
  readonly settledMs: number
  readonly lostLeases: number
}

/**
 * The longest that holds may stay open once all is well again, in milliseconds. Leases and look-ups are seconds; one
 * that was placed without its process learning so waits two minutes.
 */
const SETTLE_MS_MAX = 150_000
/** A name whose request is still settled is asked again for so long, in milliseconds. */
const NAMES_MS_MAX = 30_000
const CREDITS = 1_000_000n
const NANOCREDITS = 1_000_000_000n

/** Accounts of one round, and their keys. */
export interface People {
  readonly keys: readonly RoundKey[]
  readonly accountIds: readonly string[]
  readonly grants: ReadonlyMap<string, bigint>
}

/** Accounts of this round alone, so that its books can be read by themselves. */
export async function makePeople(rig: Rig, round: number): Promise<People> {
  const keys: RoundKey[] = []
  const grants = new Map<string, bigint>()
  for (const name of ['one', 'two']) {
    const owner = await rig.createAccount(`${name} of round ${round}`, CREDITS)
    grants.set(owner.accountId, CREDITS * NANOCREDITS)
    for (let key = 0; key < 2; key++) keys.push({ ...(await rig.createKey(owner)), accountId: owner.accountId })
  }
  return { keys, grants, accountIds: [...grants.keys()] }
}

function booksOf({ rig }: FinishStage, { accountIds, keys }: People): Promise<RoundBooks> {
  const keyIds = keys.map(({ keyId }) => keyId)
  return readRoundBooks(rig.database, accountIds, keyIds)
}

/** Asks after every video that is not over, as its client would. */
async function followVideos(stage: FinishStage, people: People, random: Random): Promise<boolean> {
  const { jobs } = await booksOf(stage, people)
  const open = jobs.filter(({ settled_at: settledAt }) => settledAt === null)
  for (const job of open) {
    const key = people.keys.find(({ keyId }) => keyId === job.key_id)
    if (key !== undefined) await readVideo(random.pick(stage.fleet.ports), key.rawKey, job.job_id)
  }
  return open.length === 0
}

async function settle(stage: FinishStage, people: People, random: Random): Promise<boolean> {
  const isOver = async (): Promise<boolean> =>
    (await followVideos(stage, people, random)) && (await stage.rig.openHolds()) === 0
  return until(isOver, SETTLE_MS_MAX)
}

async function askAgain(stage: FinishStage, random: Random, story: PaidStory, agent: Agent): Promise<PaidAttempt> {
  const end = performance.now() + NAMES_MS_MAX
  for (;;) {
    const attempt = await askPaid(story.question, random.pick(stage.fleet.ports), { kind: 'polite' }, agent)
    if (attempt.errorCode !== 'idempotency_key_in_use' || performance.now() > end) return attempt
    await wait(500)
  }
}

/** Asks every named question again. @returns how many, and what is wrong with the answers. */
async function replayNames(
  stage: FinishStage,
  stories: readonly PaidStory[],
  random: Random,
): Promise<{ readonly count: number; readonly faults: readonly string[] }> {
  const faults: string[] = []
  const agent = new Agent({ keepAlive: true })
  const named = stories.filter(({ question, attempts }) => question.name !== null && attempts.length > 0)
  const queue = [...named]
  const work = async (): Promise<void> => {
    for (let story = queue.shift(); story !== undefined; story = queue.shift()) {
      const attempt = await askAgain(stage, random, story, agent)
      const told = story.attempts.filter(({ end }) => end === 'whole')
      const isGone = attempt.errorCode === 'idempotency_answer_gone'
      const { question } = story
      if (attempt.end === 'refused' && !isGone && told.length > 0) {
        faults.push(`question ${question.tag} was answered whole, and again ${attempt.status} ${attempt.errorCode}`)
      }
      const first = told[0]
      if (first !== undefined && attempt.end === 'whole' && attempt.requestId !== first.requestId) {
        const ids = `${first.requestId} and ${attempt.requestId}`
        faults.push(`question ${question.tag} (${question.kind}, named) was answered as ${ids}`)
      }
      story.attempts.push(attempt)
    }
  }
  await Promise.all(Array.from({ length: stage.clients }, work))
  agent.destroy()
  return { count: named.length, faults }
}

/** A name that meant a charged request still means it. */
function judgeNames(before: RoundBooks, after: RoundBooks): readonly string[] {
  const charges = new Map(after.usage.map((row) => [row.usage_id, row.charge]))
  const now = new Map(after.names.map((row) => [`${row.caller_id} ${row.name_hash}`, row.request_id]))
  return before.names.flatMap(({ caller_id: caller, name_hash: hash, request_id: id }) => {
    const later = now.get(`${caller} ${hash}`)
    const charge = charges.get(id) ?? 0n
    return later === id || later === undefined || charge === 0n
      ? []
      : [`request ${id} was charged ${charge}, and its Idempotency-Key was worked on again as ${later}`]
  })
}

/** What clients know of their videos once all is over. */
async function readVideos(stage: FinishStage, stories: readonly PaidStory[], random: Random): Promise<void> {
  for (const story of stories) {
    const jobId = story.attempts.find((attempt) => attempt.jobId !== null)?.jobId ?? null
    if (jobId === null) continue
    story.video = (await readVideo(random.pick(stage.fleet.ports), story.key.rawKey, jobId)) ?? story.video
  }
}

/** Plays it, and compares everything. */
export async function finishRound(stage: FinishStage, loaded: Loaded, random: Random): Promise<Finished> {
  const { people, stories, lines, planOf } = loaded
  const calmAt = performance.now()
  const faults: string[] = []
  const isSettled = await settle(stage, people, random)
  const settledMs = performance.now() - calmAt
  if (!isSettled) faults.push(`holds were open ${SETTLE_MS_MAX} ms after the load`)
  for (const port of await stage.fleet.unwell()) faults.push(`the gateway at ${port} did not get well`)
  const before = await booksOf(stage, people)
  const replayed = await replayNames(stage, stories, random)
  if (!(await settle(stage, people, random)) && isSettled) faults.push('holds were open after the repeats')
  await readVideos(stage, stories, random)
  const books = await booksOf(stage, people)
  // A machine that is busy enough keeps a process from its lease without any help.
  const lostLeases = stage.fleet.takeLostLeases()
  const losesProcess = loaded.losesProcess || lostLeases > 0
  const verdict = judgeRound({ stories, lines, planOf, books, grants: people.grants, losesProcess })
  const audit = await runAudit(stage.rig.database, undefined, [logInvariant({ signers: [], checkpoints: [] })])
  const broken = audit.rows.filter(({ breaches }) => breaches > 0)
  faults.push(...replayed.faults, ...judgeNames(before, books), ...verdict.faults, ...stage.fleet.takeFaults())
  faults.push(...broken.map(({ name, examples }) => `audit: ${name}: ${examples.join('; ')}`))
  return { faults, exceptions: verdict.exceptions, books, replays: replayed.count, settledMs, lostLeases }
}
