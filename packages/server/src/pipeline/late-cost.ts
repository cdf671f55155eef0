/** Costs that upstreams report late. */
import type { OpenHold } from '../money/billing/open-hold.ts'
import type { LateCost } from '../pricing/price.ts'
import type { Bill } from '../upstreams/bill.ts'
import type { ChatUpstream, ReportedUsage } from '../upstreams/chat-upstream.ts'
import { type Counted, saysAll } from './believed-usage.ts'

/**
 * Waits before each look-up, in milliseconds: upstreams know a cost shortly after the end, not at once. Source: own.
 */
const WAITS_MS = [250, 750, 2_000] as const

/**
 * A wait more where no client waits for the answer: providers that work on after a hang-up need their time. Source:
 * own.
 */
const LAST_WAIT_MS = 4_000

export interface LateCostDeps {
  /** Waits so many milliseconds; passed in so that tests need not. */
  readonly pause: (milliseconds: number) => Promise<void>
}

/** Asks an upstream a few times what a generation cost; null when it does not know. Never rejects. */
async function lookUpCost(
  deps: LateCostDeps,
  upstream: Pick<ChatUpstream, 'findCost'>,
  generationId: string,
  isAwaited = true,
): Promise<LateCost | null> {
  for (const wait of isAwaited ? WAITS_MS : [...WAITS_MS, LAST_WAIT_MS]) {
    await deps.pause(wait)
    // A look-up that fails is a look-up that does not know.
    const found = await upstream.findCost(generationId).catch(() => null)
    if (found !== null) return found
  }
  return null
}

/**
 * Asks who served a request what a generation cost in the end; null when the upstream has no such look-up, or does not
 * know within a few tries. Never rejects.
 *
 * @param isAwaited whether a client waits for the end; absent: one does.
 */
export type AskCost = (generationId: string, isAwaited?: boolean) => Promise<LateCost | null>

/** A request whose upstream can be asked for a cost. */
interface Served {
  readonly hold: Pick<OpenHold, 'note'>
  readonly target: { readonly upstream: Pick<ChatUpstream, 'findCost'> }
}

/** The same for one request. What is known is written down first: a crash while it waits leaves the id to ask by. */
export function askCostOf(deps: LateCostDeps, { hold, target }: Served): AskCost {
  return async (generationId, isAwaited) => {
    await hold.note()
    return lookUpCost(deps, target.upstream, generationId, isAwaited)
  }
}

/**
 * Completes a report that does not say what its answer has cost. Counts that come with the cost replace ours.
 *
 * @param counted what was counted here: it shows whether the report says it all.
 * @returns the report as it was, when it says something already, or when nothing more is known: then what was delivered
 *   is charged.
 */
export async function withLateCost<Report extends ReportedUsage & { readonly generationId: string | null }>(
  askCost: AskCost,
  report: Report,
  counted: Counted,
  isAwaited = true,
): Promise<Report> {
  const { generationId } = report
  if (generationId === null || saysAll(report, counted)) return report
  const found = await askCost(generationId, isAwaited)
  if (found === null) return report
  const { cost, usage } = found
  const completed = { ...report, cost, isCostPartial: false }
  return usage === null ? completed : { ...completed, usage, lacks: undefined, isWholeUsage: true }
}

/**
 * Asks upstreams for costs that the request's bill lacks: an answer that broke off may be billed all the same. Never
 * rejects.
 */
export async function completeBill(deps: LateCostDeps, bill: Bill): Promise<void> {
  const { unknown } = bill
  if (unknown.length === 0) return
  await Promise.all(
    unknown.map(async (each) => {
      const found = await lookUpCost(deps, each.upstream, each.generationId)
      if (found !== null) bill.learn(each, found.cost)
    }),
  )
}
