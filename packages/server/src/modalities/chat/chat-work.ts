/**
 * What every chat request is to the pipeline, whole or streamed: its model, its limits and what it can come to cost.
 */
import type { OpenHold } from '../../money/billing/open-hold.ts'
import type { Model } from '../../catalog/model.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { findChatModel } from '../../pipeline/find-model.ts'
import type {
  Bound,
  CountingDeps,
  FoundModel,
  ListeningDeps,
  Paid,
  PaidRun,
  PaidTask,
  PaidWork,
} from '../../pipeline/paid-work.ts'
import {
  boundCountedPrompt,
  boundPrompt,
  estimatePrompt,
  type PromptBody,
  promptBody,
  promptText,
} from '../../pricing/prompt-bound.ts'
import type { SelectTarget } from '../../pipeline/routing/list-targets.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import type { UpstreamChatRequest } from '../../upstreams/chat-upstream.ts'
import { boundAudioTokens } from './audio-tokens.ts'
import { boundTokens } from './chat-bound.ts'
import { limitOutput, type OutputLimit } from './chat-limits.ts'
import type { ChatCall } from './parse-chat.ts'
import { besideTokens, refuseBeyond, withinBound } from '../../pipeline/within-bound.ts'

/** What a chat is given. */
export type ChatDeps = CountingDeps & ListeningDeps

/** One chat request of one caller. */
export type ChatTask = PaidTask<ChatCall>

/** What an upstream may make at most, and the body that says so. */
export interface ChatPlan {
  /** The client's body, with every other limit of its own within what is held for. */
  readonly body: JsonBody
  /** What the prompt probably has, for the case that it is not counted. */
  readonly promptTokens: number
  /** Output tokens to impose on the upstream; null leaves the client's own limit or none. */
  readonly maxTokens: number | null
  /** The most output tokens of one choice, by the model and the request. */
  readonly outputTokens: number
  /** Set when the balance, and not the client, set the limit. */
  readonly maxTokensApplied: number | null
  readonly choices: number
  /** The most output tokens of all choices that the upstream may make; null where it got no limit. */
  readonly limit: number | null
}

/** The `created` time of an answer, in seconds since the epoch. */
export function createdOf({ placedAt }: Pick<OpenHold, 'placedAt'>): number {
  return Math.floor(placedAt / 1000)
}

/**
 * Output tokens of a stream's first hold when the balance does not pay for the model's maximum. Source: decision 0007.
 */
const FIRST_STEP_TOKENS = 4_096

/** The limit on the output of a request, with what the model may make beside it. */
function limitChat({ request, work }: ChatCall, model: Model, promptTokens: number): OutputLimit {
  const output = limitOutput(request, model, promptTokens)
  return { ...output, beside: besideTokens(work, output.tokens) }
}

/** The targets of a chat with so many choices. */
function withChoices(choices: number): SelectTarget<ChatTarget> {
  return ({ upstream, upstreamModel, price }) => {
    if (price === null) return null
    if (choices <= 1 || upstream.supportsChoices) return { upstream, upstreamModel, price }
    const message = "Unsupported parameter: 'n' above 1 is not supported by this model."
    throw new ServiceError('unsupported_parameter', message, { param: 'n' })
  }
}

/**
 * Bounds the answer by what is held for: by the client's own limit, or by what the balance pays for where it named
 * none.
 *
 * @throws {ServiceError} 400 for a field that asks for more than the balance pays for.
 */
function reportLimits(
  call: ChatCall,
  hold: OpenHold,
  output: OutputLimit,
  choices: number,
): Omit<ChatPlan, 'promptTokens' | 'choices'> {
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
  // What is made beside the limit is paid from the same credits.
  const limit = paid - Math.min(output.beside, Math.floor(paid / 2))
  const body = withinBound(call.body, call.work, { tokens: limit, answers: choices })
  return { body, maxTokens: limit, outputTokens: output.tokens, maxTokensApplied: limit, limit: paid * choices }
}

/** The bounds of one chat request: first by its bytes, then by a count. */
class ChatBounds {
  readonly #deps: ChatDeps
  readonly #call: ChatCall
  readonly #choices: number
  #prompt: PromptBody
  #promptTokens = 0
  #output: OutputLimit | null = null

  constructor(deps: ChatDeps, call: ChatCall, choices: number) {
    this.#deps = deps
    this.#call = call
    this.#choices = choices
    this.#prompt = promptBody(call.body.value, call.body.text.length)
  }

  /**
   * Bytes bound the prompt's tokens without a tokenizer, but for those of audio, which is heard.
   *
   * @throws {ServiceError} 400 for a field that asks for more, 503 while too many audio files wait to be measured.
   */
  byBytes(found: FoundModel<ChatTarget>): Bound | Promise<Bound> {
    const { audios } = this.#prompt.media
    return audios.length === 0 ? this.#byBytes(found) : this.#byLength(found, audios)
  }

  async #byLength(found: FoundModel<ChatTarget>, audios: readonly string[]): Promise<Bound> {
    const audioTokens = await boundAudioTokens(this.#deps, audios)
    if (audioTokens !== undefined) this.#prompt = { ...this.#prompt, audioTokens }
    return this.#byBytes(found)
  }

  #byBytes(found: FoundModel<ChatTarget>): Bound {
    const call = this.#call
    const promptTokens = boundPrompt(this.#prompt, found.model.contextLength)
    const output = limitChat(call, found.model, promptTokens)
    refuseBeyond(call.work, { tokens: output.tokens, answers: this.#choices })
    this.#promptTokens = promptTokens
    this.#output = output
    return this.#boundOf(found, promptTokens, output)
  }

  /**
   * Null where the count is no lower, the text is too long to count, or it cannot be counted now: then a refusal
   * remains.
   */
  async byCount(found: FoundModel<ChatTarget>): Promise<Bound | null> {
    try {
      const { contextLength } = found.model
      const tokens = await this.#deps.countTokens(promptText(this.#prompt.value))
      const counted = boundCountedPrompt(this.#prompt, tokens, contextLength)
      return counted < this.#promptTokens ? this.#boundOf(found, counted, this.output) : null
    } catch {
      return null
    }
  }

  /** What limits the answer; known once the bytes were bounded. */
  get output(): OutputLimit {
    if (this.#output === null) throw new InvariantError('A chat is planned before it is bounded')
    return this.#output
  }

  get promptEstimate(): number {
    return estimatePrompt(this.#prompt)
  }

  #boundOf({ targets }: FoundModel<ChatTarget>, promptTokens: number, output: OutputLimit): Bound {
    const prices = targets.map(({ price }) => price)
    const isStream = this.#call.request.stream === true
    return {
      ...boundTokens(prices, promptTokens, output, this.#choices),
      policy: output.asked ? 'exact' : isStream ? 'stepwise' : 'affordable',
      firstUnits: FIRST_STEP_TOKENS,
    }
  }
}

/** How a chat is worked on once its credits are held. */
export type BeginChat<Answer, Reply, End> = (
  paid: Paid<ChatTarget>,
  plan: ChatPlan,
) => PaidRun<ChatTarget, Answer, Reply, End>

/** Makes the pipeline's work of a chat request. */
export function chatWork<Answer, Reply, End>(
  deps: ChatDeps,
  { call, caller }: ChatTask,
  begin: BeginChat<Answer, Reply, End>,
): PaidWork<ChatTarget, Answer, Reply, End> {
  const { request } = call
  const choices = request.n ?? 1
  const bounds = new ChatBounds(deps, call, choices)
  const stream = request.stream === true
  return {
    type: 'chat',
    model: request.model,
    stream,
    sendsBeforeSettlement: stream,
    findModel: () => findChatModel(deps, caller, request.model),
    selectTarget: () => withChoices(choices),
    bound: (found) => bounds.byBytes(found),
    sharperBound: (found) => bounds.byCount(found),
    begin: (paid) => {
      const told = reportLimits(call, paid.hold, bounds.output, choices)
      return begin(paid, { ...told, promptTokens: bounds.promptEstimate, choices })
    },
  }
}

/** What an upstream is asked. */
export function chatRequest(
  { model }: Paid<ChatTarget>,
  plan: ChatPlan,
  { upstreamModel }: ChatTarget,
  more: { readonly stream: boolean; readonly signal: AbortSignal },
): UpstreamChatRequest {
  const { body, maxTokens, outputTokens } = plan
  const { confidential, inputModalities } = model
  const readsFiles = inputModalities.includes('file')
  return { body, upstreamModel, maxTokens, outputTokens, readsFiles, confidential, ...more }
}
