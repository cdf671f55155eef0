/**
 * What the upstream of the chaos run does with each question: decided by seed and question alone, so that a run
 * can be had again.
 */
import { createRandom, type Random } from '../../packages/server/testing/random.ts'

/** How an upstream can behave. */
export const behaviours = [
  'whole',
  'no_usage',
  'late_cost',
  'error_status',
  'error_frame',
  'billed_error_frame',
  'cut',
  'silent_start',
  'silent_middle',
  'empty',
] as const
export type Behaviour = (typeof behaviours)[number]

export interface AnswerPlan {
  readonly behaviour: Behaviour
  readonly words: readonly string[]
  readonly promptTokens: number
  readonly completionTokens: number
  /** What the upstream asks for it, in USD as decimal text. */
  readonly costText: string
  /** Whether its usage names the cost. */
  readonly reportsCost: boolean
  /** Pause before each word, in milliseconds. */
  readonly pauseMs: number
  /** Words before a cut, an error or silence. */
  readonly wordsBefore: number
  /** Status of an error. */
  readonly status: number
}

/** Most questions are answered in order, so that there is money to lose. */
const weighted: readonly Behaviour[] = [...Array.from({ length: 22 }, () => 'whole' as const), ...behaviours]

const statuses = [400, 401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 529] as const

/** The tag of a question, as its text carries it. */
export function tagText(tag: number): string {
  return `[question ${tag}]`
}

/** @returns null when the text has no tag. */
export function findTag(text: string): number | null {
  const digits = /\[question (\d+)\]/.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}

function words(random: Random): string[] {
  const length = random.pick([1, 3, 12, 12, 40, 150])
  const stems = ['word', 'größe', '数', 'naïve', 'x']
  return Array.from({ length }, () => `${random.pick(stems)}${random.below(1_000)} `)
}

/**
 * Plans one answer.
 *
 * Its tokens are never fewer than what the gateway would estimate from the bytes, so that the plan bounds every
 * charge from above, whatever the gateway got to know.
 */
export function planAnswer(seed: number, tag: number): AnswerPlan {
  const random = createRandom((Math.imul(seed + 1, 2_654_435_761) ^ Math.imul(tag + 1, 40_503)) >>> 0)
  for (let turn = 0; turn < 3; turn++) random.below(2)
  const said = words(random)
  const bytes = said.reduce((sum, word) => sum + Buffer.byteLength(word), 0)
  const completionTokens = Math.ceil(bytes / 4) + said.length + random.below(200)
  const promptTokens = 300 + random.below(2_000)
  // Some costs stay below the card, some are well above it.
  const costNanoUsd = 1 + random.below(random.pick([20_000, 400_000, 4_000_000]))
  return {
    behaviour: random.pick(weighted),
    words: said,
    promptTokens,
    completionTokens,
    costText: `0.${String(costNanoUsd).padStart(9, '0')}${random.below(1_000)}`,
    reportsCost: random.below(3) > 0,
    pauseMs: random.pick([0, 0, 0, 2, 10, 40]),
    wordsBefore: random.below(said.length + 1),
    status: random.pick(statuses),
  }
}
