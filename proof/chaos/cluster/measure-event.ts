/** What a cluster event was to clients, in time; and the sums of what they were told, the ledger and the invoice. */
import type { PaidAttempt } from '../rounds/paid-client.ts'
import type { PaidStory } from '../rounds/paid-load.ts'
import { dueOf, type PaidPlan } from '../rounds/paid-plan.ts'
import type { PaidLine } from '../rounds/paid-upstream.ts'
import type { RoundBooks } from '../rounds/round-books.ts'

export interface Outage {
  /** The longest time in which no answer came that the database had taken, in milliseconds, over all gateways. */
  readonly gapMs: number
  /** When it began and ended, in milliseconds since the event. */
  readonly fromMs: number
  readonly toMs: number
  /** The same for each gateway alone, in the order of their ports. */
  readonly gapsMs: readonly number[]
  /** Answers of 503 that the gateways gave. */
  readonly refused: number
  /** Kinds of unnamed requests that got 503 although an upstream was asked for them, each as often. */
  readonly refusedAfterUpstream: readonly string[]
  /** Whole answers whose charge stood in a journal. */
  readonly pending: number
}

export interface OutageEvidence {
  readonly stories: readonly PaidStory[]
  readonly lines: readonly PaidLine[]
  readonly ports: readonly number[]
  /** When the event began and the load ended. */
  readonly eventAt: number
  readonly endedAt: number
}

/** The longest gap between moments from one to another. */
function longestGap(
  moments: readonly number[],
  from: number,
  to: number,
): { readonly ms: number; readonly from: number } {
  const sorted = [from, ...moments.filter((at) => at > from && at < to).toSorted((one, other) => one - other), to]
  let longest = { ms: 0, from }
  for (const [index, at] of sorted.entries()) {
    const before = sorted[index - 1] ?? at
    if (at - before > longest.ms) longest = { ms: at - before, from: before }
  }
  return longest
}

/** Attempts that were answered whole by work that the database had taken then. */
function takenAttempts(stories: readonly PaidStory[]): readonly PaidAttempt[] {
  const attempts = stories.flatMap((story) => story.attempts)
  return attempts.filter(({ end, isPending, isReplay }) => end === 'whole' && !isPending && !isReplay)
}

/** When the last such answer came, by the monotonic clock of this process; 0 before the first. */
export function lastTakenAt(stories: readonly PaidStory[]): number {
  return takenAttempts(stories).reduce((last, { endedAt }) => Math.max(last, endedAt), 0)
}

/** Measures it. */
export function measureOutage({ stories, lines, ports, eventAt, endedAt }: OutageEvidence): Outage {
  const attempts = stories.flatMap((story) => story.attempts)
  const whole = takenAttempts(stories)
  const all = longestGap(
    whole.map((each) => each.endedAt),
    eventAt,
    endedAt,
  )
  const gapsMs = ports.map(
    (port) =>
      longestGap(
        whole.filter((each) => each.port === port).map((each) => each.endedAt),
        eventAt,
        endedAt,
      ).ms,
  )
  const refused = attempts.filter(({ end, status }) => end === 'refused' && status === 503)
  // What the upstream refuses is answered as it did, which may be 503, too.
  const asked = new Set(lines.filter(({ plan }) => plan.behaviour !== 'error_status').map(({ tag }) => tag))
  return {
    ...{ gapMs: all.ms, fromMs: all.from - eventAt, toMs: all.from + all.ms - eventAt, gapsMs },
    refused: refused.filter(({ errorCode }) => errorCode === 'server_is_overloaded').length,
    refusedAfterUpstream: refused
      .filter(({ tag, name, errorCode }) => name === null && errorCode === 'server_is_overloaded' && asked.has(tag))
      .map(({ kind }) => kind),
    pending: attempts.filter(({ isPending, isReplay }) => isPending && !isReplay).length,
  }
}

export interface Sums {
  readonly answers: number
  /** In nanocredits. */
  readonly told: bigint
  readonly ledger: bigint
  /** What the upstream asks for them, and the margin. */
  readonly invoice: bigint
  /** Charged for what did not come whole. */
  readonly parts: bigint
  readonly writtenOff: bigint
}

export interface SumsEvidence {
  readonly stories: readonly PaidStory[]
  readonly books: RoundBooks
  readonly planOf: (tag: number) => PaidPlan
}

/** The sums of all answers that came whole, each once; videos by what their clients read at last. */
export function sumBooks({ stories, books, planOf }: SumsEvidence): Sums {
  const usage = new Map(books.usage.map((row) => [row.usage_id, row]))
  const holds = new Map(books.jobs.map(({ job_id: job, hold_id: hold }) => [job, hold]))
  const counted = new Set<string>()
  const sums = { answers: 0, told: 0n, ledger: 0n, invoice: 0n }
  for (const { question, attempts, video } of stories) {
    for (const { end, requestId, jobId, charge } of attempts) {
      if (end !== 'whole') continue
      const id = jobId === null ? requestId : (holds.get(jobId) ?? null)
      if (id === null || counted.has(id)) continue
      counted.add(id)
      const row = usage.get(id)
      sums.answers++
      sums.told += (jobId === null ? charge : (video?.charge ?? null)) ?? 0n
      sums.ledger += (row?.charge ?? 0n) + (row?.write_off ?? 0n)
      sums.invoice += dueOf(planOf(question.tag), question.tag)
    }
  }
  const all = books.usage.reduce((sum, row) => sum + row.charge, 0n)
  const ofWhole = books.usage.filter((row) => counted.has(row.usage_id)).reduce((sum, row) => sum + row.charge, 0n)
  return { ...sums, parts: all - ofWhole, writtenOff: books.usage.reduce((sum, row) => sum + row.write_off, 0n) }
}
