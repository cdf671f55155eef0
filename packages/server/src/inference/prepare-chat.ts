/** What every chat request needs before an upstream is asked: its model, its limits and its hold. */
import { nanocreditsOf } from '@svc/contract'
import { type BillingDeps, type HoldRequest, type OpenHold, placeHold } from '../billing/open-hold.ts'
import { SMALL_LIMIT_UNITS } from '../billing/small-limit.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Model } from '../catalog/model.ts'
import { codeOf } from '../errors/code-of.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { JsonBody } from '../json/json-body.ts'
import type { Caller } from '../keys/caller.ts'
import { boundRoute } from '../pricing/hold-bound.ts'
import type { ChatPrice, HoldBound } from '../pricing/price.ts'
import {
  boundCountedPrompt,
  boundPrompt,
  estimatePrompt,
  type PromptBody,
  promptText,
} from '../pricing/prompt-bound.ts'
import type { AttemptDeps } from '../routing/attempt-targets.ts'
import { type AsTarget, listTargets, type TargetDeps } from '../routing/list-targets.ts'
import type { ChatTarget } from '../routing/target.ts'
import type { ServedBy } from './chat-charge.ts'
import { limitOutput, type OutputLimit } from './chat-limits.ts'
import { findChatModel } from './find-model.ts'
import type { LateCostDeps } from './late-cost.ts'
import type { ChatCall } from './parse-chat.ts'
import { besideTokens, refuseBeyond, withinBound } from './within-bound.ts'

export interface ChatDeps extends BillingDeps, LateCostDeps, TargetDeps, AttemptDeps {
  readonly catalog: Catalog
  /** Counts tokens away from this thread. Rejects when the text is too long or the counter too busy. */
  readonly countTokens: (text: string) => Promise<number>
}

/** One chat request of one caller. */
export interface ChatTask {
  readonly caller: Caller
  readonly call: ChatCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

export interface PreparedChat {
  readonly model: Model
  /** Every upstream that may come to serve it; the hold covers the dearest. */
  readonly targets: readonly ChatTarget[]
  /** Who serves it: the first target, until an attempt is repeated elsewhere. */
  target: ChatTarget
  readonly hold: OpenHold
  /** The client's body, with every other limit of its own within what is held for. */
  readonly body: JsonBody
  /** What the prompt probably has, for the case that nobody counts it. */
  readonly promptTokens: number
  /** Output tokens to impose on the upstream; null leaves the client's own limit or none. */
  readonly maxTokens: number | null
  /** The most output tokens of one choice, by the model and the request. */
  readonly outputTokens: number
  /** Set when the balance, and not the client, set the limit. */
  readonly maxTokensApplied: number | null
  readonly choices: number
  /** The most output tokens of all choices that the upstream was told; null where it was told none. */
  readonly limit: number | null
}

/** Who served a prepared request, for its settlement. */
export function servedBy(
  { target }: PreparedChat,
  { generationId }: { readonly generationId: string | null },
): ServedBy {
  return { upstream: target.upstream.name, model: target, generationId }
}

/** The `created` time of an answer, in seconds since the epoch. */
export function createdOf(prepared: PreparedChat): number {
  return Math.floor(prepared.hold.placedAt / 1000)
}

/**
 * Output tokens of a stream's first hold when the balance does not pay for the model's maximum. Source: decision 0007.
 */
const FIRST_STEP_TOKENS = 4_096

function holdRequest(
  { call, caller, requestId }: ChatTask,
  limits: { readonly bound: HoldBound; readonly output: OutputLimit; readonly choices: number },
): HoldRequest {
  const stream = call.request.stream === true
  return {
    requestId,
    caller,
    type: 'chat',
    model: call.request.model,
    stream,
    fixed: limits.bound.fixed,
    perUnit: nanocreditsOf(limits.bound.perOutputToken * BigInt(limits.choices)),
    units: limits.output.tokens + limits.output.beside,
    policy: limits.output.asked ? 'exact' : stream ? 'stepwise' : 'affordable',
    firstUnits: FIRST_STEP_TOKENS,
    flush: stream ? 'at_once' : 'with_end',
  }
}

function isInsufficient(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 402
}

/**
 * The prompt's bound by a real count, where that is smaller; null where the text is too long to count or nobody can
 * now.
 */
async function countedBound(deps: ChatDeps, body: PromptBody, model: Model, bound: number): Promise<number | null> {
  try {
    const counted = boundCountedPrompt(body, await deps.countTokens(promptText(body.value)), model.contextLength)
    return counted < bound ? counted : null
  } catch {
    // The count only sharpens a refusal that stands without it.
    return null
  }
}

/**
 * Places the hold. Bytes bound the prompt's tokens without a tokenizer; only when that bound does not fit the purse, or
 * leaves little of it for the answer, the text is counted and a sharper bound used. Source: decision 0005 (size of a
 * hold).
 */
async function placeChatHold(deps: ChatDeps, task: ChatTask, found: FoundModel) {
  const { call } = task
  const body: PromptBody = { value: call.body.value, byteLength: call.body.text.length }
  const place = (promptTokens: number, output: OutputLimit): Promise<OpenHold> => {
    const bound = boundRoute(found.prices, promptTokens)
    return placeHold(deps, holdRequest(task, { bound, output, choices: found.choices }))
  }
  const promptTokens = boundPrompt(body, found.model.contextLength)
  const output = limitChat(call, found.model, promptTokens)
  refuseBeyond(call.work, { tokens: output.tokens, answers: found.choices })
  try {
    const hold = await place(promptTokens, output)
    if (!output.asked && hold.limit !== null && hold.limit < SMALL_LIMIT_UNITS) {
      const counted = await countedBound(deps, body, found.model, promptTokens)
      if (counted !== null) hold.sharpen(boundRoute(found.prices, counted).fixed)
    }
    return { hold, output, promptTokens: estimatePrompt(body) }
  } catch (error) {
    if (!isInsufficient(error)) throw error
    const counted = await countedBound(deps, body, found.model, promptTokens)
    if (counted === null) throw error
    return { hold: await place(counted, output), output, promptTokens: estimatePrompt(body) }
  }
}

/** The limit on the output of a request, with what the model may make beside it. */
function limitChat({ request, work }: ChatCall, model: Model, promptTokens: number): OutputLimit {
  const output = limitOutput(request, model, promptTokens)
  return { ...output, beside: besideTokens(work, output.tokens) }
}

/** The targets of a chat with so many choices. */
function withChoices(choices: number): AsTarget<ChatTarget> {
  return ({ upstream, upstreamModel, price }) => {
    if (price === null) return null
    if (choices <= 1 || upstream.supportsChoices) return { upstream, upstreamModel, price }
    const message = "Unsupported parameter: 'n' above 1 is not supported by this model."
    throw new ServiceError('unsupported_parameter', message, { param: 'n' })
  }
}

interface FoundModel {
  readonly model: Model
  /** Of every target. */
  readonly prices: readonly ChatPrice[]
  readonly choices: number
}

/** What an upstream is told to make at most, and the body that tells it. */
type ToldLimits = Pick<PreparedChat, 'body' | 'maxTokens' | 'outputTokens' | 'maxTokensApplied' | 'limit'>

/**
 * Bounds the answer by what is held for: by the client's own limit, or by what the balance pays for where it named none.
 *
 * @throws {ServiceError} 400 for a field that asks for more than the balance pays for.
 */
function tellLimits(call: ChatCall, hold: OpenHold, output: OutputLimit, choices: number): ToldLimits {
  const paid = output.asked ? null : hold.limit
  if (paid === null) {
    const body = withinBound(call.body, call.work, { tokens: output.tokens, answers: choices })
    const isTold = output.asked || call.work.needsLimit
    return {
      body,
      maxTokens: output.sent ?? (isTold && !output.asked ? output.tokens : null),
      outputTokens: output.tokens,
      maxTokensApplied: null,
      limit: isTold ? (output.tokens + output.beside) * choices : null,
    }
  }
  // What is made beside the limit is paid from the same purse.
  const limit = paid - Math.min(output.beside, Math.floor(paid / 2))
  const body = withinBound(call.body, call.work, { tokens: limit, answers: choices })
  return { body, maxTokens: limit, outputTokens: output.tokens, maxTokensApplied: limit, limit: paid * choices }
}

/**
 * Resolves the model, checks what the key may do, and holds the credits.
 *
 * @throws {ServiceError} 404 unknown model, 403 model not allowed, 400 what no upstream can do or what asks for more than
 *   is held for, 402 naming what is needed, 503 while every upstream for it is left alone.
 */
export async function prepareChat(deps: ChatDeps, task: ChatTask): Promise<PreparedChat> {
  const { call, caller } = task
  const model = findChatModel(deps, caller, call.request.model)
  const choices = call.request.n ?? 1
  const targets = listTargets(deps, model, withChoices(choices))
  const prices = targets.map((target) => target.price)
  const { hold, output, promptTokens } = await placeChatHold(deps, task, { model, prices, choices })
  try {
    const told = tellLimits(call, hold, output, choices)
    return { model, targets, target: targets[0], hold, promptTokens, choices, ...told }
  } catch (error) {
    await hold.abandon(codeOf(error), {})
    throw error
  }
}
