/** Quotes of chats, in every form. */
import { ChatBounds, type ChatSize } from '../modalities/chat/chat-plan.ts'
import { type ChatDeps, chatWork } from '../modalities/chat/chat-work.ts'
import { chatsWork } from '../modalities/chat/complete-chats.ts'
import type { ChatCall } from '../modalities/chat/parse-chat.ts'
import type { Bound, FoundModel, PaidTask } from '../pipeline/paid-work.ts'
import type { ChatTarget } from '../pipeline/routing/target.ts'
import { type BoundLine, sumOfLines } from '../pricing/bound-line.ts'
import { boundRoute, dearestPromptRate } from '../pricing/hold-bound.ts'
import type { ChatPrice } from '../pricing/price.ts'
import { chargeTokens } from './charge-usage.ts'
import { beginsNothing, type Described, quoted, sumOf, type TakeQuote } from './quoted-work.ts'

/** Tokens of an answer as it usually is, where the request allows more. Source: own choice, stated in docs/money.md. */
export const LIKELY_OUTPUT_TOKENS = 500

/**
 * Bytes that a client may add to a request beside what was quoted, such as `stream` and `stream_options`: a token of the
 * prompt has at least one.
 */
const ADDED_BYTES = 64

/** @param calls all chats of the request; most have one. */
export function quoteChats(
  deps: ChatDeps,
  task: Omit<PaidTask<unknown>, 'call'>,
  calls: readonly [ChatCall, ...ChatCall[]],
): TakeQuote {
  const [call, ...others] = calls
  const work =
    others.length === 0
      ? chatWork(deps, { ...task, call }, beginsNothing)
      : chatsWork(deps, { ...task, call: calls }, beginsNothing)
  return quoted(work, (found, bound) => describeChats(deps, calls, found, bound))
}

async function describeChats(
  deps: ChatDeps,
  calls: readonly ChatCall[],
  found: FoundModel<ChatTarget>,
  bound: Bound,
): Promise<Described> {
  const chats = calls.map((each) => new ChatBounds(deps, each))
  for (const chat of chats) await chat.byBytes(found)
  const sizes = chats.map(({ size }) => size)
  const prices = found.targets.map(({ price }) => price)
  const [{ price }] = found.targets
  const lines = sizes.map((size) => linesOf(prices, size, bound.units))
  const likely = sizes.map(({ promptTokens, choices }) => {
    const output = Math.min(bound.units, LIKELY_OUTPUT_TOKENS) * choices
    return chargeTokens(price, { input: promptTokens, output }).charge
  })
  return {
    fixed: sumOfLines(lines.flatMap(({ input }) => input)),
    likely: sumOf(likely),
    lines: lines.flatMap(({ input, output }) => [...input, output]),
  }
}

/** @param units of output, of each answer. */
function linesOf(
  prices: readonly ChatPrice[],
  { promptTokensMax, choices }: ChatSize,
  units: number,
): { readonly input: readonly BoundLine[]; readonly output: BoundLine } {
  const tokens = promptTokensMax + ADDED_BYTES
  const { perToken, perRequest } = dearestPromptRate(prices, tokens)
  const { perOutputToken } = boundRoute(prices, tokens)
  return {
    input: [
      { unit: 'prompt_tokens', quantity: tokens, perUnit: perToken },
      { unit: 'requests', quantity: 1, perUnit: perRequest },
    ],
    output: { unit: 'completion_tokens', quantity: units * choices, perUnit: perOutputToken },
  }
}
