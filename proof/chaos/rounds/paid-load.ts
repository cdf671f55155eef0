/** Many clients at once who ask for every kind of work, until the run stops them. */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, type Random } from '../../../packages/server/testing/random.ts'
import type { Manners } from '../attempt.ts'
import { askPaid, type PaidAttempt, type PaidQuestion, readVideo, type VideoTold } from './paid-client.ts'
import { kinds, type PaidKind, requestOf } from './paid-kinds.ts'

/** A key of the round, and whose it is. */
export interface RoundKey {
  readonly keyId: string
  readonly accountId: string
  readonly rawKey: string
}

export interface PaidLoadOptions {
  readonly seed: number
  readonly firstTag: number
  readonly clients: number
  readonly keys: readonly RoundKey[]
  readonly ports: readonly number[]
}

/** A question and everything that its client saw of it. */
export interface PaidStory {
  readonly question: PaidQuestion
  readonly key: RoundKey
  readonly attempts: PaidAttempt[]
  /** The last state that was seen of a video; null when nothing was, and for other kinds. */
  video: VideoTold | null
}

export interface PaidLoad {
  readonly stories: readonly PaidStory[]
  /** Ends after the attempts that are under way. */
  stop(): Promise<void>
}

/** Chats are most of what gateways serve. */
const weighted: readonly PaidKind[] = [...kinds, 'chat', 'chat_stream', 'chat_stream', 'chat_stream']
/** Most times that one question is sent. */
const SENDS_MAX = 4
/** Wait before a question is sent again, in milliseconds. */
const AGAIN_MS = 60
/** How often a client polls its video before it gives up. */
const POLLS_MAX = 4

/** What is asked for under a tag. */
export function kindOf(seed: number, tag: number): PaidKind {
  return createRandom((seed ^ Math.imul(tag + 7, 69_621)) >>> 0).pick(weighted)
}

function pickManners(random: Random): Manners {
  const die = random.below(20)
  if (die < 15) return { kind: 'polite' }
  if (die < 18) return { kind: 'hang_up', afterBytes: 1 + random.below(random.pick([300, 3_000])) }
  return { kind: 'leave', afterMs: random.below(random.pick([5, 100, 1_000])) }
}

interface Shared {
  readonly options: PaidLoadOptions
  readonly stories: PaidStory[]
  readonly agent: Agent
  isStopping: boolean
  nextTag: number
}

async function followVideo({ options }: Shared, random: Random, story: PaidStory): Promise<void> {
  const jobId = story.attempts.find((attempt) => attempt.jobId !== null)?.jobId ?? null
  if (jobId === null) return
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    await wait(random.below(200))
    story.video = (await readVideo(random.pick(options.ports), story.key.rawKey, jobId)) ?? story.video
    if (story.video?.state === 'completed') return
  }
}

/** Sends a question. One with a name is sent again where its answer did not come, as its name promises. */
async function askOne(shared: Shared, random: Random): Promise<void> {
  const { options, agent } = shared
  const tag = shared.nextTag++
  const kind = kindOf(options.seed, tag)
  const key = random.pick(options.keys)
  const name = random.below(5) < 2 ? `name-${tag}` : null
  const question: PaidQuestion = {
    ...{ tag, kind, name, rawKey: key.rawKey },
    request: requestOf(kind, options.seed, tag),
  }
  const story: PaidStory = { question, key, attempts: [], video: null }
  shared.stories.push(story)
  const manners = pickManners(random)
  const isTwice = name !== null && random.below(6) === 0
  const sends = name === null ? 1 : SENDS_MAX
  for (let send = 0; send < sends && !shared.isStopping; send++) {
    const once = (): Promise<PaidAttempt> => askPaid(question, random.pick(options.ports), manners, agent)
    const asked = await Promise.all([once(), ...(isTwice ? [once()] : [])])
    story.attempts.push(...asked.filter(({ end }) => end !== 'unreachable'))
    if (asked.some(({ end }) => end === 'whole' || end === 'left')) break
    await wait(AGAIN_MS)
  }
  if (kind === 'video') await followVideo(shared, random, story)
}

async function runClient(shared: Shared, index: number): Promise<void> {
  const random = createRandom((shared.options.seed * 7_919 + index * 104_729) >>> 0)
  while (!shared.isStopping) {
    await askOne(shared, random)
    await wait(random.below(40))
  }
}

/** Starts the clients. */
export function startPaidLoad(options: PaidLoadOptions): PaidLoad {
  const shared: Shared = {
    ...{ options, stories: [], isStopping: false, nextTag: options.firstTag },
    agent: new Agent({ keepAlive: true, maxFreeSockets: 64 }),
  }
  const running = Promise.all(Array.from({ length: options.clients }, (_, index) => runClient(shared, index)))
  return {
    stories: shared.stories,
    async stop() {
      shared.isStopping = true
      await running
      shared.agent.destroy()
    },
  }
}
