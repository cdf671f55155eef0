/**
 * What the upstream of the rounds does with each question, and what the answer costs then: decided by seed and tag
 * alone, and computed apart from the gateway.
 */
import { createRandom } from '../../../packages/server/testing/random.ts'
import { charactersOf, isStream, type PaidKind, PICO_USD, secondsOf } from './paid-kinds.ts'

/** How the upstream can answer. Most questions are answered in order, so that there is money to lose. */
export type PaidBehaviour =
  | 'whole'
  /** Whole, and the gateway charges by its price list. */
  | 'no_cost'
  | 'error_status'
  /** It breaks off. */
  | 'cut'

export interface PaidPlan {
  readonly kind: PaidKind
  readonly behaviour: PaidBehaviour
  /** What the upstream says that the answer costs, in 10⁻¹² USD: no two questions of a round cost the same. */
  readonly costPico: bigint
  readonly promptTokens: number
  readonly completionTokens: number
  readonly words: readonly string[]
  /** Pause before each word, in milliseconds. */
  readonly pauseMs: number
  /** Time that a whole answer takes, in milliseconds. */
  readonly delayMs: number
  readonly status: number
}

const TALKS: ReadonlySet<PaidKind> = new Set([
  'chat',
  'chat_stream',
  'completion',
  'completion_stream',
  'response',
  'response_stream',
  'message',
  'message_stream',
])

/** Whether it is a chat, in whichever form. */
export function isTalk(kind: PaidKind): boolean {
  return TALKS.has(kind)
}

function behaviourOf(kind: PaidKind, die: number): PaidBehaviour {
  if (die === 0) return 'error_status'
  if (die === 1 && kind !== 'video') return 'cut'
  if (die <= 3 && (kind === 'embeddings' || kind === 'rerank' || kind === 'moderation')) return 'no_cost'
  return 'whole'
}

/** Plans one answer. */
export function planPaid(kind: PaidKind, seed: number, tag: number): PaidPlan {
  const random = createRandom((Math.imul(seed + 1, 2_654_435_761) ^ Math.imul(tag + 1, 40_503)) >>> 0)
  for (let turn = 0; turn < 3; turn++) random.below(2)
  const behaviour = behaviourOf(kind, random.below(20))
  const length = random.pick([1, 3, 12, 12, 40])
  return {
    ...{ kind, behaviour },
    costPico: 5n * (BigInt(1 + random.below(200_000)) * 1_000n + BigInt(tag % 1_000)),
    promptTokens: 1_000 * (1 + random.below(5)) + (tag % 1_000),
    completionTokens: 100,
    words: Array.from({ length }, () => `word${random.below(1_000)} `),
    pauseMs: random.pick([0, 5, 20, 60]),
    delayMs: random.pick([0, 20, 100, 400, 1_200]),
    status: random.pick([400, 404, 429, 500, 502, 503]),
  }
}

const withMargin = (pico: bigint): bigint => (pico * 12n + 9n) / 10n

/** What a whole answer costs, in nanocredits, to the digit: the upstream's invoice and the margin. */
export function dueOf(plan: PaidPlan, tag: number): bigint {
  const { kind } = plan
  if (kind === 'speech' || kind === 'speech_events') return withMargin(charactersOf(tag) * PICO_USD.character)
  if (kind.startsWith('transcription')) return withMargin(BigInt(secondsOf(tag)) * PICO_USD.second)
  if (plan.behaviour === 'no_cost') {
    return withMargin(BigInt(plan.promptTokens) * PICO_USD.token)
  }
  return withMargin(plan.costPico)
}

/** The most that any ending of an answer costs, in nanocredits: where the gateway estimates, it counts bytes. */
export function mostOf(plan: PaidPlan, tag: number, promptBytes: number): bigint {
  const due = dueOf(plan, tag)
  const isEstimated = isTalk(plan.kind) && isStream(plan.kind)
  const bytes = promptBytes + plan.words.reduce((sum, word) => sum + word.length, 0)
  const estimate = isEstimated ? withMargin(BigInt(bytes) * PICO_USD.token) : 0n
  return due > estimate ? due : estimate
}
