import type { AttoUsd } from '../pricing/price.ts'
import type { ChatUpstream, ReportedUsage } from '../upstreams/chat-upstream.ts'

/**
 * Waits before each look-up, in milliseconds: upstreams know a cost shortly after the end, not at once. Source: own.
 */
const WAITS_MS = [250, 750, 2_000] as const

/**
 * A wait more where nobody waits for the answer: providers that work on after a hang-up need their time. Source: own.
 */
const LAST_WAIT_MS = 4_000

export interface LateCostDeps {
  /** Waits so many milliseconds; passed in so that tests need not. */
  readonly pause: (milliseconds: number) => Promise<void>
}

/** Asks an upstream a few times what a generation cost; null when it does not know. Never rejects. */
export async function lookUpCost(
  deps: LateCostDeps,
  upstream: Pick<ChatUpstream, 'findCost'>,
  generationId: string,
  isAwaited = true,
): Promise<AttoUsd | null> {
  for (const wait of isAwaited ? WAITS_MS : [...WAITS_MS, LAST_WAIT_MS]) {
    await deps.pause(wait)
    // A look-up that fails is a look-up that does not know.
    const cost = await upstream.findCost(generationId).catch(() => null)
    if (cost !== null) return cost
  }
  return null
}

const AWAITED = { isAwaited: true, note: () => Promise.resolve() } as const

/**
 * Completes a report that says nothing at all: asks the upstream what the generation cost in the end.
 *
 * @param more.isAwaited whether a caller waits for the end.
 * @param more.note writes down what is known, before the waits: a crash in between leaves the id to ask by.
 * @returns the report as it was, when it says something already, when the upstream has no such look-up, or when it does
 * not know within a few tries: then what was delivered is charged.
 */
export async function withLateCost<Report extends ReportedUsage & { readonly generationId: string | null }>(
  deps: LateCostDeps,
  upstream: Pick<ChatUpstream, 'findCost'>,
  report: Report,
  more: { readonly isAwaited: boolean; readonly note: () => Promise<void> } = AWAITED,
): Promise<Report> {
  const { generationId } = report
  if (report.usage !== null || report.cost !== null || generationId === null) return report
  await more.note()
  const cost = await lookUpCost(deps, upstream, generationId, more.isAwaited)
  return cost === null ? report : { ...report, cost }
}
