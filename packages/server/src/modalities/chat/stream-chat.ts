/** One chat request that is answered as a stream. */
import type { Model } from '../../catalog/model.ts'
import { CancelledBeforeOutput } from '../../pipeline/cancelled-before-output.ts'
import type { StreamEnd, StreamReader } from '../../pipeline/frame-writer.ts'
import { type AskCost, withLateCost } from '../../pipeline/late-cost.ts'
import { noteProgress } from '../../pipeline/note-progress.ts'
import type { Paid, Priced } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { Counted } from '../../pipeline/believed-usage.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import type { ChatStream, ChatStreamOutcome } from '../../upstreams/chat-upstream.ts'
import type { UpstreamBill } from '../../upstreams/upstream-failure.ts'
import { countedCost, decideCharge, tokensOf } from '../../pipeline/token-charge.ts'
import type { ChatPlan } from './chat-plan.ts'
import { type ChatDeps, chatRequest, type ChatTask, chatWork } from './chat-work.ts'
import { emptinessFailure, explainsEmptiness } from './empty-answer.ts'
import type { ChatCall } from './parse-chat.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'
import { renderUsage } from './render-usage.ts'
import { StreamDelivery, type StreamTotals } from './stream-delivery.ts'
import { judgeStream, type StreamVerdict } from './stream-verdict.ts'

export interface StreamChatDeps extends ChatDeps {
  /**
   * The longest that a 200 waits for the first content, in milliseconds. Source: decision 0013 (frames of a stream).
   */
  readonly firstContentMs: number
  /** Whether an upstream bills a stream whose client leaves before the first content. */
  readonly billsOnCancel: (model: Model, upstream: string) => boolean
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

/** What was delivered, as it is counted here. */
function countDelivered(
  { paid, plan, delivery }: StreamedChat,
  came: { readonly laterBytes: number; readonly isWhole: boolean },
): Counted {
  const { promptTokens, limit, choices } = plan
  const { outputBytes, audioBytes, images, hasReasoning: showsReasoning } = delivery
  const media = { audioBytes, images }
  const { contextLength } = paid.model
  return { promptTokens, limit, choices, outputBytes, media, showsReasoning, contextLength, ...came }
}

/** One chat that is streamed, once its credits are held. */
interface StreamedChat {
  readonly paid: Paid<ChatTarget>
  readonly plan: ChatPlan
  readonly call: ChatCall
  readonly delivery: StreamDelivery
}

/** What the open stream would be charged if this process died now. */
function journal(streamed: StreamedChat, target: ChatTarget, stream: ChatStream): void {
  noteProgress(streamed.paid.hold, target, () => {
    const counted = countDelivered(streamed, { laterBytes: 0, isWhole: false })
    const { charge, usage } = decideCharge(target.price, { usage: null, cost: null, wire: null }, counted)
    return {
      ...{ charge: charge.charge, cost: charge.cost, pricing: charge.pricing, card: target.price.card },
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      generationId: stream.generationId(),
    }
  })
}

/** A stream that is over, and what it says of its cost. */
interface EndedStream {
  readonly outcome: ChatStreamOutcome
  readonly bill: UpstreamBill
}

/**
 * Where the upstream says itself that it failed, it has said what that costs, or has counted the answer that failed: it
 * need not be asked.
 */
function billOfStream(outcome: ChatStreamOutcome): UpstreamBill {
  const { error, cut, usage, cost, isCounted, generationId } = outcome
  if (error === null || cut) return { usage, cost, generationId }
  return { usage: isCounted ? usage : null, cost, generationId: null }
}

async function runStream(streamed: StreamedChat, target: ChatTarget): Promise<EndedStream> {
  const { paid, plan, delivery } = streamed
  const outcome = await delivery.run(async (sink, signal) => {
    const stream = await target.upstream.stream(chatRequest(paid, plan, target, { stream: true, signal }), sink)
    // From here on the upstream works for money, so a crash must find what was delivered.
    journal(streamed, target, stream)
    return stream
  })
  return { outcome, bill: billOfStream(outcome) }
}

/**
 * Whether nothing was made that is billed: the client left before any content, and the upstream reports no usage or
 * cost.
 */
function isUnbilled(deps: StreamChatDeps, { paid, delivery }: StreamedChat, report: ChatStreamOutcome): boolean {
  if (!delivery.wasCancelledBeforeOutput) return false
  if (report.usage !== null || report.cost !== null) return false
  return !deps.billsOnCancel(paid.model, paid.target.upstream.name)
}

/** @throws {Error} why the stream is free. */
async function price(
  deps: StreamChatDeps,
  askCost: AskCost,
  streamed: StreamedChat,
  { outcome, bill }: EndedStream,
): Promise<Priced<StreamTotals>> {
  const { paid, plan, call, delivery } = streamed
  const { upstream, price: prices } = paid.target
  const verdict = judge(delivery, outcome, call)
  if (verdict.kind === 'free') {
    paid.generationId = outcome.generationId
    throw delivery.interruptionError ?? outcome.error ?? emptinessFailure(upstream.name, delivery.finishReasons)
  }
  paid.hold.bill.deliver(bill)
  const counted = countDelivered(streamed, {
    laterBytes: Math.max(0, delivery.outputBytes - outcome.outputBytesAtUsage),
    isWhole: delivery.interruption === null && !outcome.cut,
  })
  const report = await withLateCost(askCost, outcome, counted, delivery.interruption !== 'client_gone')
  if (isUnbilled(deps, streamed, report)) throw new CancelledBeforeOutput()
  const decided = decideCharge(prices, report, counted)
  return {
    ...{ charge: decided.charge, estimated: decided.estimated, tokens: tokensOf(decided) },
    ...{ status: verdict.status, errorCode: verdict.errorCode, generationId: report.generationId },
    failure: delivery.interruption === null ? outcome.error : delivery.interruptionError,
    render: (charged) => ({
      svc: renderSvc(charged, decided.estimated, plan.maxTokensApplied),
      usage: renderUsage(report.wire, decided, charged.charge),
    }),
  }
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
export function streamChat(deps: StreamChatDeps, task: ChatTask, reader: StreamReader): Promise<StreamEnd> {
  const { call } = task
  const work = chatWork<EndedStream, StreamTotals, StreamEnd>(deps, task, (paid, plan) => {
    const { hold } = paid
    const delivery = new StreamDelivery(deps, { hold, choices: plan.choices }, call, reader)
    const streamed: StreamedChat = { paid, plan, call, delivery }
    return {
      sink: delivery,
      ask: (target) => runStream(streamed, target),
      reportsOf: ({ bill }) => [bill],
      costOf: countedCost,
      failureOf: ({ outcome }) => outcome.error,
      isEnded: () => delivery.interruption !== null,
      price: (ended, askCost) => price(deps, askCost, streamed, ended),
    }
  })
  return runPaid(deps, task, work)
}
