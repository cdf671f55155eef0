/**
 * The load of a cluster run: so many requests of every kind a second, whether or not those before are answered, beside so
 * many streams that stay open. Two in five have an Idempotency-Key, and are sent again until they are answered.
 */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, type Random } from '../../../packages/server/testing/random.ts'
import type { Manners } from '../attempt.ts'
import { askPaid, type PaidAttempt, type PaidQuestion } from '../rounds/paid-client.ts'
import { type PaidKind, requestOf } from '../rounds/paid-kinds.ts'
import { kindOf, type PaidStory, type RoundKey } from '../rounds/paid-load.ts'
import { type PaidPlan, planPaid } from '../rounds/paid-plan.ts'

export interface ClusterLoadOptions {
  readonly seed: number
  readonly keys: readonly RoundKey[]
  readonly ports: readonly number[]
  /** Requests a second beside the streams. */
  readonly rate: number
  /** Streams that are open at a time. */
  readonly streams: number
}

export interface ClusterLoad {
  readonly stories: readonly PaidStory[]
  readonly planOf: (tag: number) => PaidPlan
  /** Ends after the attempts that are under way. */
  stop(): Promise<void>
}

/** Tags from here on are those of the streams. */
const STREAMS_FROM = 1_000_000
const STREAM_KINDS: readonly PaidKind[] = ['chat_stream', 'chat_stream', 'message_stream', 'response_stream']
const WORD_MS = 250
const WORDS = { least: 20, more: 60 } as const
/** A client gives a named request up after so many attempts, each of which may wait for seconds. */
const SENDS_MAX = 40
const AGAIN_MS = 1_000
/** Where no gateway listens, another one is asked, this often. */
const MOVES_MAX = 20
const MOVE_MS = 100
/** Codes after which the very same request may succeed. */
const PASSING = new Set(['server_is_overloaded', 'idempotency_key_in_use'])

function kindOfTag(seed: number, tag: number): PaidKind {
  if (tag < STREAMS_FROM) return kindOf(seed, tag)
  return createRandom((seed ^ Math.imul(tag + 3, 69_621)) >>> 0).pick(STREAM_KINDS)
}

/** What the upstream does with each question. */
function createPlans(seed: number): (tag: number) => PaidPlan {
  const plans = new Map<number, PaidPlan>()
  const make = (tag: number): PaidPlan => {
    const plan = planPaid(kindOfTag(seed, tag), seed, tag)
    if (tag < STREAMS_FROM) return plan
    const random = createRandom((seed ^ Math.imul(tag, 7_919)) >>> 0)
    const words = Array.from({ length: WORDS.least + random.below(WORDS.more) }, () => `word${random.below(1_000)} `)
    return { ...plan, words, pauseMs: WORD_MS }
  }
  return (tag) => {
    const plan = plans.get(tag) ?? make(tag)
    plans.set(tag, plan)
    return plan
  }
}

interface Shared {
  readonly options: ClusterLoadOptions
  readonly stories: PaidStory[]
  readonly agent: Agent
  isStopping: boolean
}

function pickManners(random: Random): Manners {
  return random.below(12) === 0 ? { kind: 'leave', afterMs: random.below(3_000) } : { kind: 'polite' }
}

/** Sends it to a gateway that listens. */
async function askSomewhere({ options, agent }: Shared, random: Random, question: PaidQuestion, manners: Manners) {
  for (let move = 0; ; move++) {
    const asked: PaidAttempt = await askPaid(question, random.pick(options.ports), manners, agent)
    if (asked.end !== 'unreachable' || move >= MOVES_MAX) return asked
    await wait(MOVE_MS)
  }
}

async function askOne(shared: Shared, random: Random, tag: number): Promise<void> {
  const { options, stories } = shared
  const key = random.pick(options.keys)
  const kind = kindOfTag(options.seed, tag)
  const name = random.below(5) < 2 ? `name-${tag}` : null
  const question = { ...{ tag, kind, name, rawKey: key.rawKey }, request: requestOf(kind, options.seed, tag) }
  const story: PaidStory = { question, key, attempts: [], video: null }
  stories.push(story)
  const manners = pickManners(random)
  for (let send = 0; send < (name === null ? 1 : SENDS_MAX) && !shared.isStopping; send++) {
    const asked = await askSomewhere(shared, random, question, manners)
    if (asked.end !== 'unreachable') story.attempts.push(asked)
    const isOver = asked.end === 'whole' || asked.end === 'left'
    if (isOver || (asked.errorCode !== null && !PASSING.has(asked.errorCode))) return
    await wait(AGAIN_MS)
  }
}

/** Starts it. */
export function startClusterLoad(options: ClusterLoadOptions): ClusterLoad {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 })
  const shared: Shared = { options, agent, stories: [], isStopping: false }
  const running = new Set<Promise<void>>()
  const begin = (random: Random, tag: number): Promise<void> => {
    const one = askOne(shared, random, tag).finally(() => running.delete(one))
    running.add(one)
    return one
  }
  const random = createRandom((options.seed * 7_919) >>> 0)
  let nextTag = 1
  const ticking = setInterval(() => void begin(random, nextTag++), 1_000 / options.rate)
  let nextStream = STREAMS_FROM
  const stream = async (index: number): Promise<void> => {
    const own = createRandom((options.seed * 104_729 + index) >>> 0)
    // They do not all begin at once, or they would all end at once.
    await wait((index * 5_000) / options.streams)
    while (!shared.isStopping) await begin(own, nextStream++)
  }
  const streaming = Array.from({ length: options.streams }, (_, index) => stream(index))
  return {
    ...{ stories: shared.stories, planOf: createPlans(options.seed) },
    async stop() {
      clearInterval(ticking)
      shared.isStopping = true
      await Promise.all([...streaming, ...running])
      agent.destroy()
    },
  }
}
