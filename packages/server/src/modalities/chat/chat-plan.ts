/** What one chat may come to at most, before it is held for, and what is sent to an upstream once it is. */
import type { OpenHold } from '../../money/billing/open-hold.ts'
import type { Model } from '../../catalog/model.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import type { Bound, CountingDeps, FoundModel, ListeningDeps } from '../../pipeline/paid-work.ts'
import {
  boundCountedPrompt,
  boundPrompt,
  estimatePrompt,
  type PromptBody,
  promptBody,
  promptText,
} from '../../pricing/prompt-bound.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import { boundAudioTokens } from './audio-tokens.ts'
import { boundTokens } from './chat-bound.ts'
import { limitOutput, type OutputLimit } from './chat-limits.ts'
import type { ChatCall } from './parse-chat.ts'
import { besideTokens, refuseBeyond, withinBound } from '../../pipeline/within-bound.ts'

/** What an upstream may make at most, and the body that says so. */
export interface ChatPlan {
  /** The client's body, with every other limit of its own within what is held for. */
  readonly body: JsonBody
  /** Whether its one message is a text to go on with. */
  readonly completesText: boolean
  /** What the prompt probably has, for the case that it is not counted. */
  readonly promptTokens: number
  /** Output tokens to impose on the upstream; null leaves the client's own limit or none. */
  readonly maxTokens: number | null
  /** The most output tokens of one choice, by the model and the request. */
  readonly outputTokens: number
  /** Set when the balance or the most that the client agreed to pay, and not a limit in the request, set it. */
  readonly maxTokensApplied: number | null
  readonly choices: number
  /** The most output tokens of all choices that the upstream may make; null where it got no limit. */
  readonly limit: number | null
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

/**
 * Tokens that the balance pays for where the client named no limit, or those that the client agreed to pay for, if these
 * are fewer than the answer could have; null where neither limits it.
 */
function paidTokens({ limitUnits, request }: OpenHold, output: OutputLimit): number | null {
  const byBalance = output.asked ? null : limitUnits
  const agreed = request.units < output.tokens + output.beside ? request.units : null
  return byBalance === null || (agreed !== null && agreed < byBalance) ? agreed : byBalance
}

/**
 * Bounds the answer by what is held for: by the client's own limit, or by what is paid for.
 *
 * @throws {ServiceError} 400 for a field that asks for more than is paid for.
 */
function reportLimits(
  call: ChatCall,
  hold: OpenHold,
  output: OutputLimit,
  choices: number,
): Omit<ChatPlan, 'completesText' | 'promptTokens' | 'choices'> {
  const paid = paidTokens(hold, output)
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
  const limit = Math.min(output.tokens, paid - Math.min(output.beside, Math.floor(paid / 2)))
  const body = withinBound(call.body, call.work, { tokens: limit, answers: choices })
  return { body, maxTokens: limit, outputTokens: output.tokens, maxTokensApplied: limit, limit: paid * choices }
}

/** What one chat may have, and what it probably has. */
export interface ChatSize {
  readonly promptTokensMax: number
  readonly promptTokens: number
  readonly choices: number
}

/** The bounds of one chat request: first by its bytes, then by a count. */
export class ChatBounds {
  readonly #deps: CountingDeps & ListeningDeps
  readonly #call: ChatCall
  readonly choices: number
  /** Whether it fills in the text before a suffix. */
  readonly fillsGap: boolean
  #prompt: PromptBody
  #promptTokens = 0
  #output: OutputLimit | null = null

  constructor(deps: CountingDeps & ListeningDeps, call: ChatCall) {
    this.#deps = deps
    this.#call = call
    this.choices = call.request.n ?? 1
    this.fillsGap = call.completes === 'gap'
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
    refuseBeyond(call.work, { tokens: output.tokens, answers: this.choices })
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
      return counted < this.#promptTokens ? this.#boundOf(found, counted, this.#limit) : null
    } catch {
      return null
    }
  }

  /** What limits the answer; known once the bytes were bounded. */
  get #limit(): OutputLimit {
    if (this.#output === null) throw new InvariantError('A chat is planned before it is bounded')
    return this.#output
  }

  /** How large it is; to be asked once its bytes were bounded. */
  get size(): ChatSize {
    const { choices } = this
    return { promptTokensMax: this.#promptTokens, promptTokens: estimatePrompt(this.#prompt), choices }
  }

  /** What is sent to an upstream, by what is held. @throws {ServiceError} as `reportLimits`. */
  plan(hold: OpenHold): ChatPlan {
    const told = reportLimits(this.#call, hold, this.#limit, this.choices)
    const completesText = this.#call.completes !== null
    return { ...told, completesText, promptTokens: estimatePrompt(this.#prompt), choices: this.choices }
  }

  #boundOf({ targets }: FoundModel<ChatTarget>, promptTokens: number, output: OutputLimit): Bound {
    const prices = targets.map(({ price }) => price)
    const isStream = this.#call.request.stream === true
    return {
      ...boundTokens(prices, promptTokens, output, this.choices),
      policy: output.asked ? 'exact' : isStream ? 'stepwise' : 'affordable',
      firstUnits: FIRST_STEP_TOKENS,
      isDivisible: true,
    }
  }
}
