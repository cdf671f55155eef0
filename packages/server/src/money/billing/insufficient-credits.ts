import { creditsJson, type ErrorCode, formatCredits, nanocreditsOf, type UsageType } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import type { PlaceResult, SpendLimit } from '../ledger/operations.ts'
import { usageKinds } from './usage-kinds.ts'

type Insufficient = Extract<PlaceResult, { kind: 'insufficient' }>

const codes: Readonly<Record<SpendLimit, ErrorCode>> = {
  account: 'insufficient_credits',
  team: 'team_budget_exceeded',
  key: 'key_budget_exceeded',
}

const whose: Readonly<Record<SpendLimit, string>> = {
  account: 'Insufficient credits',
  team: "The team's budget does not cover this request",
  key: "The key's budget does not cover this request",
}

/** What helps a chat that could not even pay for its prompt and one token. */
const SHORTER_PROMPT = 'shorten the prompt'

const remedies: Readonly<Record<SpendLimit, string>> = {
  account: 'Add credits',
  team: 'Ask for a higher team budget',
  key: 'Raise the budget of the key',
}

/**
 * Where a person gives what was lacking: credits on the page of funding, a larger budget on the page of the key or the
 * team. All of them name the key's team: a member of several must not pay for another.
 *
 * @param consoleUrl of the console, without a slash at its end. Source: decision 0086.
 */
function topupUrl(consoleUrl: string, limit: SpendLimit, { teamId, keyId }: Pick<Caller, 'teamId' | 'keyId'>): string {
  const pages = { account: 'fund', team: 'team', key: `keys/${keyId}` }
  return `${consoleUrl}/team/${teamId}/${pages[limit]}`
}

/** Who asked for what, and where they mend it. */
export interface ShortRequest {
  readonly consoleUrl: string
  readonly caller: Pick<Caller, 'teamId' | 'keyId'>
  readonly type: UsageType
}

/**
 * Makes the 402 that says how many credits are needed, so that a client can top up or back off. The extra facts are
 * inside `error`: the OpenAI clients keep nothing else of a body. Source: spec 7, decision 0005 (size of a hold).
 */
export function insufficientCredits(result: Insufficient, { consoleUrl, caller, type }: ShortRequest): ServiceError {
  const short = result.required - result.available
  const { ask, affordable } = usageKinds[type]
  const less = type === 'chat' && result.affordableUnits === 0 ? SHORTER_PROMPT : ask
  const message =
    `${whose[result.limit]}: this request needs up to ${formatCredits(result.required)} credits, ` +
    `${formatCredits(result.available)} are available. ${remedies[result.limit]} or ${less}.`
  return new ServiceError(codes[result.limit], message, {
    shouldRetry: false,
    headers: { 'x-svc-credits-required': formatCredits(result.required) },
    details: {
      limit: result.limit,
      credits_required: creditsJson(result.required),
      credits_available: creditsJson(result.available),
      credits_short: creditsJson(nanocreditsOf(short > 0n ? short : 0n)),
      [affordable]: result.affordableUnits,
      topup_url: topupUrl(consoleUrl, result.limit, caller),
    },
  })
}
