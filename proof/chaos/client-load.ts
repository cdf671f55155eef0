/** Many clients at once, until the run stops them: each asks, sometimes asks the same again, and goes on. */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { tagText } from './answer-plan.ts'
import { ALIASES } from './expected-charge.ts'
import type { Manners } from './attempt.ts'
import { type Attempt, ask } from './hostile-client.ts'

/** A key that clients use. Its budget and its end may change while they do. */
export interface ClientKey {
  readonly keyId: string
  readonly accountId: string
  readonly rawKey: string
  /** When its revocation was durable, in milliseconds since the epoch; null while it is valid. */
  revokedAt: number | null
  /** The budget that it has had from the start; null when it has none or when it was changed. */
  readonly fixedBudget: bigint | null
}

export interface LoadOptions {
  readonly seed: number
  readonly clients: number
  readonly keys: readonly ClientKey[]
  /** Ports of the gateways; one that is being restarted refuses connections. */
  readonly ports: readonly number[]
}

export interface Load {
  readonly attempts: readonly Attempt[]
  /** Ends after the attempts that are under way. */
  stop(): Promise<void>
}

const MODELS = ['svc-gpt', ...ALIASES] as const
/** Most times that one question is sent. */
const SENDS_MAX = 3
/** Wait after a refused connection, in milliseconds. */
const REFUSED_WAIT_MS = 40

function pickManners(random: Random): Manners {
  const die = random.below(20)
  if (die < 12) return { kind: 'polite' }
  if (die < 14) return { kind: 'slow', pauseMs: 1 + random.below(30) }
  if (die < 17) return { kind: 'hang_up', afterBytes: 1 + random.below(random.pick([300, 3_000, 30_000])) }
  if (die < 19) return { kind: 'leave', afterMs: random.below(random.pick([5, 60, 600])) }
  return { kind: 'half_body' }
}

function pickLimit(random: Random): object {
  const die = random.below(4)
  if (die === 0) return { max_tokens: 1 + random.below(2_000) }
  return die === 1 ? { max_completion_tokens: 100 + random.below(4_000) } : {}
}

function body(random: Random, tag: number, stream: boolean): string {
  const filling = 'please '.repeat(random.below(30))
  return JSON.stringify({
    model: random.pick(MODELS),
    messages: [{ role: 'user', content: `${filling}answer ${tagText(tag)}` }],
    ...(stream ? { stream: true } : {}),
    ...(stream && random.below(2) === 0 ? { stream_options: { include_usage: true } } : {}),
    ...pickLimit(random),
  })
}

interface Shared {
  readonly options: LoadOptions
  readonly attempts: Attempt[]
  readonly agent: Agent
  isStopping: boolean
  nextTag: number
}

/** A revoked key is used now and then, the others always. */
function pickKey(random: Random, keys: readonly ClientKey[]): number {
  const usable = keys.flatMap((key, index) => (key.revokedAt === null || random.below(20) === 0 ? [index] : []))
  return random.pick(usable, 0)
}

/** Sends a question, and the very same again where the connection broke or where the client is impatient. */
async function askUntilAnswered(shared: Shared, random: Random, tag: number): Promise<void> {
  const { options, agent, attempts } = shared
  const stream = random.below(3) > 0
  const text = body(random, tag, stream)
  const keyIndex = pickKey(random, options.keys)
  const manners = pickManners(random)
  const twice = random.below(12) === 0
  for (let sends = 0; sends < SENDS_MAX && !shared.isStopping; sends++) {
    const question = (): Parameters<typeof ask>[0] => ({
      ...{ tag, keyIndex, stream, manners, body: text },
      port: random.pick(options.ports),
      rawKey: options.keys[keyIndex]?.rawKey ?? '',
    })
    const asked = await Promise.all([ask(question(), agent), ...(twice ? [ask(question(), agent)] : [])])
    attempts.push(...asked.filter(({ end }) => end !== 'unreachable'))
    if (asked.some(({ end }) => end !== 'broken' && end !== 'unreachable')) return
    await wait(REFUSED_WAIT_MS)
  }
}

async function runClient(shared: Shared, index: number): Promise<void> {
  const random = createRandom((shared.options.seed * 7_919 + index * 104_729) >>> 0)
  while (!shared.isStopping) {
    await askUntilAnswered(shared, random, shared.nextTag++)
    await wait(random.below(15))
  }
}

/** Starts the clients. */
export function startLoad(options: LoadOptions): Load {
  const shared: Shared = {
    ...{ options, attempts: [], isStopping: false, nextTag: 1 },
    agent: new Agent({ keepAlive: true, maxFreeSockets: 64 }),
  }
  const running = Promise.all(Array.from({ length: options.clients }, (_, index) => runClient(shared, index)))
  return {
    attempts: shared.attempts,
    async stop() {
      shared.isStopping = true
      await running
      shared.agent.destroy()
    },
  }
}
