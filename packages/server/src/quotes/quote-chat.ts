/** Quotes of chats, in every form. */
import { nanocreditsOf } from '@svc/contract'
import { ChatBounds } from '../modalities/chat/chat-plan.ts'
import { type ChatDeps, chatWork } from '../modalities/chat/chat-work.ts'
import { chatsWork } from '../modalities/chat/complete-chats.ts'
import type { ChatCall } from '../modalities/chat/parse-chat.ts'
import type { Bound, FoundModel, PaidTask } from '../pipeline/paid-work.ts'
import type { ChatTarget } from '../pipeline/routing/target.ts'
import { boundRoute } from '../pricing/hold-bound.ts'
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
  const prompts = sizes.map(({ promptTokensMax }) => promptTokensMax + ADDED_BYTES)
  const fixed = sumOf(prompts.map((tokens) => boundRoute(prices, tokens).fixed))
  const answers = sizes.reduce((sum, { choices }) => sum + choices, 0)
  const likely = sizes.map(({ promptTokens, choices }) => {
    const output = Math.min(bound.units, LIKELY_OUTPUT_TOKENS) * choices
    return chargeTokens(price, { input: promptTokens, output }).charge
  })
  const output = nanocreditsOf(bound.perUnit * BigInt(bound.units))
  return {
    bound: { ...bound, fixed },
    likely: sumOf(likely),
    lines: [
      { unit: 'prompt_tokens', quantity: prompts.reduce((sum, tokens) => sum + tokens, 0), credits: fixed },
      { unit: 'completion_tokens', quantity: bound.units * answers, credits: output },
    ],
  }
}
