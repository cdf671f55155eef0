/** One chat request that is answered as a stream. */
import { nanocreditsOf } from '@svc/contract'
import { billingPrices } from '../pricing/charge-chat.ts'
import { attemptTargets } from '../routing/attempt-targets.ts'
import type { ChatTarget } from '../routing/target.ts'
import type { ChatStream, ChatStreamOutcome } from '../upstream/chat-upstream.ts'
import type { UpstreamBill } from '../upstream/upstream-failure.ts'
import { countedCost, decideCharge, freeSettlement, settlementOf } from './chat-charge.ts'
import { emptinessFailure, explainsEmptiness } from './empty-answer.ts'
import type { StreamReader } from './frame-writer.ts'
import { withLateCost } from './late-cost.ts'
import type { ChatCall } from './parse-chat.ts'
import { type ChatDeps, type ChatTask, prepareChat, type PreparedChat, servedBy } from './prepare-chat.ts'
import { renderSvc, renderUsage } from './render-charge.ts'
import { completeBill, settleFailed } from './settle-failed.ts'
import { StreamDelivery } from './stream-delivery.ts'
import { judgeStream, type StreamVerdict } from './stream-verdict.ts'

export interface StreamChatDeps extends ChatDeps {
  /**
   * The longest that a 200 waits for the first content, in milliseconds. Source: decision 0013 (frames of a stream).
   */
  readonly firstContentMs: number
}

function judge(delivery: StreamDelivery, outcome: ChatStreamOutcome, call: ChatCall): StreamVerdict {
  const { hasReasoning, finishReasons } = delivery
  return judgeStream({
    outcome,
    interruption: delivery.interruption,
    interruptionError: delivery.interruptionError,
    hasContent: delivery.hasContent,
    hasReasoning,
    emptinessExplained: explainsEmptiness({ ...outcome, finishReasons, hasReasoning }, call),
  })
}

/**
 * Output that was delivered after the last usage of a stream that did not come to its end, or that told at its start
 * how long the prompt is and nothing since.
 */
function bytesAfterUsage(delivery: StreamDelivery, outcome: ChatStreamOutcome): number {
  const { usage, cut } = outcome
  if (usage === null) return 0
  if (delivery.interruption === null && !cut && usage.completionTokens > 0) return 0
  return Math.max(0, delivery.outputBytes - outcome.outputBytesAtUsage)
}

/**
 * The report with a cost that is learnt late. What was reported before the last of the output says too little: its cost
 * gives way to a price list where there is one, and its counts are not shown.
 */
async function completeReport(
  deps: StreamChatDeps,
  prepared: PreparedChat,
  outcome: ChatStreamOutcome,
  delivered: { readonly laterBytes: number; readonly isAwaited: boolean },
): Promise<ChatStreamOutcome> {
  const { upstream, price } = prepared.target
  const { isAwaited } = delivered
  const more = { isAwaited, note: () => prepared.hold.note() }
  if (delivered.laterBytes === 0) return withLateCost(deps, upstream, outcome, more)
  const late = await withLateCost(deps, upstream, { ...outcome, usage: null, cost: null }, more)
  const early = billingPrices(price) === null ? outcome.cost : null
  return { ...outcome, cost: late.cost ?? early, wire: null }
}

interface SettledStream {
  readonly svc: string
  readonly usage: Record<string, unknown>
}

async function settleCharged(
  deps: StreamChatDeps,
  prepared: PreparedChat,
  stream: { readonly delivery: StreamDelivery; readonly outcome: ChatStreamOutcome },
  verdict: Extract<StreamVerdict, { kind: 'charge' }>,
): Promise<SettledStream> {
  const { delivery } = stream
  const laterBytes = bytesAfterUsage(delivery, stream.outcome)
  const outcome = await completeReport(deps, prepared, stream.outcome, {
    laterBytes,
    isAwaited: delivery.interruption !== 'client_gone',
  })
  const { promptTokens, limit } = prepared
  const counted = { promptTokens, outputBytes: delivery.outputBytes, limit, laterBytes }
  const decided = decideCharge(prepared.target.price, outcome, counted)
  const settlement = settlementOf(decided, servedBy(prepared, outcome), verdict.status)
  const facts = { ...settlement.facts, errorCode: verdict.errorCode }
  const charge = await prepared.hold.settle({ ...settlement, facts })
  delivery.charged(charge)
  return {
    svc: renderSvc(charge, decided.estimated, prepared.maxTokensApplied),
    usage: renderUsage(outcome.wire, decided, charge),
  }
}

/** What the open stream would be charged if this process died now. */
function journal({ hold, promptTokens, limit }: PreparedChat, target: ChatTarget, running: RunningStream): void {
  hold.progress = () => {
    const counted = { promptTokens, outputBytes: running.delivery.outputBytes, limit, laterBytes: 0 }
    const { charge, usage } = decideCharge(target.price, { usage: null, cost: null, wire: null }, counted)
    return {
      holdId: hold.id,
      charge: charge.charge,
      cost: nanocreditsOf(charge.cost),
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      pricing: charge.pricing,
      upstream: target.upstream.name,
      upstreamModel: target.upstreamModel,
      generationId: running.stream.generationId(),
    }
  }
}

interface RunningStream {
  readonly stream: ChatStream
  readonly delivery: StreamDelivery
}

function runStream(prepared: PreparedChat, delivery: StreamDelivery, target: ChatTarget): Promise<ChatStreamOutcome> {
  return delivery.run(async (sink, signal) => {
    const request = {
      body: prepared.body,
      upstreamModel: target.upstreamModel,
      stream: true,
      maxTokens: prepared.maxTokens,
      outputTokens: prepared.outputTokens,
      confidential: prepared.model.confidential,
      signal,
    }
    const stream = await target.upstream.stream(request, sink)
    // From here on the upstream works for money, so a crash must find what was delivered.
    journal(prepared, target, { stream, delivery })
    return stream
  })
}

/** A stream that is over, and what it says of its cost. */
interface EndedStream {
  readonly outcome: ChatStreamOutcome
  readonly bill: UpstreamBill
}

/** Where the upstream says itself that it failed, it has said what that costs: nobody needs to be asked. */
function billOfStream(outcome: ChatStreamOutcome): UpstreamBill {
  const { error, cut, usage, cost, generationId } = outcome
  if (error === null || cut) return { usage, cost, generationId }
  return { cost, generationId: null }
}

function streamFromUpstream(
  deps: StreamChatDeps,
  prepared: PreparedChat,
  delivery: StreamDelivery,
): Promise<EndedStream> {
  let isBilled = false
  return attemptTargets(deps, prepared, {
    run: async (target) => {
      const outcome = await runStream(prepared, delivery, target)
      return { outcome, bill: billOfStream(outcome) }
    },
    reportsOf: ({ bill }) => [bill],
    costOf: countedCost,
    failureOf: ({ outcome: { error, cost } }) => {
      isBilled = cost !== null && cost > 0n
      return error
    },
    isEnded: () => delivery.interruption !== null,
    mayRepeat: () => delivery.mayBeginAnew && !isBilled,
  })
}

/** How a stream that has begun ended: as a whole answer, cut by its caller, or with an error frame. */
export type StreamEnd = 'whole' | 'cut' | 'failed'

async function deliver(
  deps: StreamChatDeps,
  prepared: PreparedChat,
  call: ChatCall,
  delivery: StreamDelivery,
): Promise<StreamEnd> {
  const { outcome, bill } = await streamFromUpstream(deps, prepared, delivery)
  const verdict = judge(delivery, outcome, call)
  if (verdict.kind === 'free') {
    const failure = delivery.interruptionError ?? outcome.error
    const emptiness = emptinessFailure(prepared.target.upstream.name, delivery.finishReasons)
    const errorCode = failure === null ? emptiness.code : verdict.errorCode
    await completeBill(deps, prepared.hold)
    await prepared.hold.settle(freeSettlement(servedBy(prepared, outcome), errorCode))
    throw failure ?? emptiness
  }
  prepared.hold.bill.deliver(bill)
  const settled = await settleCharged(deps, prepared, { delivery, outcome }, verdict)
  const failure = delivery.interruption === null ? outcome.error : delivery.interruptionError
  if (failure !== null) throw failure
  delivery.finish(settled.svc, settled.usage)
  return delivery.interruption === 'client_gone' && delivery.finishReasons.length === 0 ? 'cut' : 'whole'
}

/**
 * Streams one chat answer and charges it. The charge is durable before the last frame is sent.
 *
 * Rejects only when nothing was sent yet, so that the client gets a true status; later failures end the stream with an
 * error frame.
 * Source: spec 2.2, 2.8; decisions 0008 (order at the end of a request) and 0013 (frames of a stream).
 *
 * @throws {ServiceError} for everything that fails before the first content; the request is then free.
 */
export async function streamChat(deps: StreamChatDeps, task: ChatTask, reader: StreamReader): Promise<StreamEnd> {
  const { call } = task
  const prepared = await prepareChat(deps, task)
  const delivery = new StreamDelivery(deps, prepared, call, reader)
  try {
    return await deliver(deps, prepared, call, delivery)
  } catch (error) {
    // A settlement that could not be written stays with the hold of an answer that was delivered: it is written later.
    const isDelivered = delivery.isOpen && prepared.hold.unwritten !== null
    if (!isDelivered) await abandon(deps, prepared, delivery, error)
    delivery.fail(error)
    return 'failed'
  }
}

/** A caller who leaves before the upstream answers has asked for nothing that was made: no failure, and free. */
function abandon(deps: StreamChatDeps, prepared: PreparedChat, delivery: StreamDelivery, error: unknown) {
  if (delivery.interruption !== 'client_gone') return settleFailed(deps, prepared, error)
  const { upstream, upstreamModel } = prepared.target
  return prepared.hold.abandon(null, { upstream: upstream.name, upstreamModel, status: 'cancelled' })
}
