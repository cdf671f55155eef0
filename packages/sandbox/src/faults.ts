import type { TokenPrices } from './prices.ts'
import type { AnswerScript, FaultBehaviour } from './fault-behaviour.ts'

/** A number that may follow the name behind an `@`. */
export interface FaultParameter {
  readonly unit: 'chunks' | 'mebibytes'
  readonly fallback: number
  readonly max: number
}

export interface SandboxFault {
  /** What follows `svc-sandbox/`. */
  readonly name: string
  readonly parameter: FaultParameter | null
  /** What a client of the gateway sees, in one sentence. */
  readonly clientSees: string
  /** What the client is charged, in one sentence. */
  readonly charged: string
  readonly behaviour: FaultBehaviour
  readonly prices: TokenPrices
  readonly contextLength: number
  readonly maxOutputTokens: number
}

/**
 * 1 USD per million prompt tokens and 2 USD per million output tokens: enough that a wrong charge shows. Source: own
 * choice.
 */
const usualPrices: TokenPrices = priceList(1_000_000_000_000n, 2_000_000_000_000n, null)

/** So dear that no account can pay: a million USD a request. It stays far below what 64 bits of nanocredits hold. */
const unaffordablePrices: TokenPrices = priceList(1_000_000_000_000n, 2_000_000_000_000n, 10n ** 24n)

/** A thousandth of the usual: its answers have millions of tokens. */
const floodPrices: TokenPrices = priceList(1_000_000_000n, 2_000_000_000n, null)

const usual = { parameter: null, prices: usualPrices, contextLength: 128_000, maxOutputTokens: 16_384 } as const
const chunks: FaultParameter = { unit: 'chunks', fallback: 3, max: 1_000 }

const NOTHING = 'Nothing.'
const REPORTED = 'The reported cost and the margin, as for any model.'

function priceList(input: bigint, output: bigint, request: bigint | null): TokenPrices {
  return { input, output, request }
}

function answers(name: string, script: Partial<AnswerScript>, clientSees: string, charged: string): SandboxFault {
  return { ...usual, name, clientSees, charged, behaviour: { kind: 'answer', script } }
}

function refuses(
  name: string,
  refusal: Omit<Extract<FaultBehaviour, { kind: 'refuse' }>, 'kind'>,
  clientSees: string,
): SandboxFault {
  return { ...usual, name, clientSees, charged: NOTHING, behaviour: { kind: 'refuse', ...refusal } }
}

/**
 * Every scripted model of the sandbox. `docs/sandbox.md` shows the same table, and a test compares the two.
 *
 * A client can see only what the real path produces: what an upstream says about its own account never reaches it.
 */
export const sandboxFaults: readonly SandboxFault[] = [
  refuses(
    '400',
    {
      status: 400,
      errorType: 'invalid_request',
      message: 'The sandbox refuses this request, as its model name asks it to.',
    },
    '400 `upstream_rejected_request` with the sentence of the upstream.',
  ),
  {
    ...answers('402', {}, '402 `insufficient_credits`: this model costs a million USD a request.', NOTHING),
    prices: unaffordablePrices,
  },
  refuses(
    '429',
    { status: 429, errorType: 'rate_limit_exceeded', message: 'Too many requests.', retryAfterSeconds: 3 },
    '503 `server_is_overloaded` with `retry-after: 3`; 429 is only for the limits of the gateway itself.',
  ),
  refuses(
    '500',
    { status: 500, errorType: 'server', message: 'The sandbox broke, as asked.' },
    '502 `upstream_error`.',
  ),
  refuses(
    '502',
    { status: 502, errorType: 'provider_unavailable', message: 'No provider, as asked.' },
    '502 `upstream_error`.',
  ),
  refuses(
    '503',
    { status: 503, errorType: 'provider_overloaded', message: 'Overloaded, as asked.', retryAfterSeconds: 5 },
    '503 `server_is_overloaded` with `retry-after: 5`.',
  ),
  refuses('504', { status: 504, errorType: 'timeout', message: 'Timed out, as asked.' }, '504 `upstream_timeout`.'),
  refuses(
    'moderated',
    { status: 403, errorType: 'content_policy_violation', message: 'The content was flagged, as asked.' },
    '400 `content_policy_violation`.',
  ),
  refuses(
    'too-long',
    { status: 400, errorType: 'context_length_exceeded', message: 'The prompt is too long, as asked.' },
    '400 `context_length_exceeded`.',
  ),
  refuses(
    'upstream-401',
    { status: 401, errorType: 'authentication', message: 'The key of the gateway is refused.' },
    '503 `upstream_unavailable`: the key of the gateway is not the concern of a client.',
  ),
  refuses(
    'upstream-402',
    { status: 402, errorType: 'payment_required', message: 'The account of the gateway is empty.' },
    '503 `upstream_unavailable`: the account of the gateway is not the concern of a client.',
  ),
  {
    ...usual,
    name: 'html-error',
    clientSees: '502 `upstream_error`, as JSON.',
    charged: NOTHING,
    behaviour: { kind: 'page', status: 502 },
  },
  {
    ...usual,
    name: 'html-200',
    clientSees: '502 `upstream_error`, as JSON.',
    charged: NOTHING,
    behaviour: { kind: 'page', status: 200 },
  },
  {
    ...usual,
    name: 'error-200',
    clientSees: '502 `upstream_error`: the upstream said 200 and put an error in the body.',
    charged: NOTHING,
    behaviour: { kind: 'error-body' },
  },
  {
    ...answers(
      'error',
      { breaks: 'error' },
      'N chunks, then an error frame; 502 `upstream_error` when not streamed, or with N = 0.',
      NOTHING,
    ),
    parameter: chunks,
  },
  {
    ...answers(
      'cut',
      { breaks: 'cut' },
      'N chunks, then an error frame; 502 `upstream_error` when not streamed, or with N = 0.',
      'What was delivered, marked as estimated; nothing when not streamed.',
    ),
    parameter: chunks,
  },
  {
    ...answers(
      'stall',
      { breaks: 'hang' },
      'N chunks, comments until the idle limit, an error frame; 504 `upstream_timeout` when not streamed.',
      'What was delivered, marked as estimated; nothing when not streamed.',
    ),
    parameter: chunks,
  },
  {
    ...usual,
    name: 'hang',
    clientSees: '504 `upstream_timeout`, or keep-alive comments and an error frame.',
    charged: NOTHING,
    behaviour: { kind: 'silence' },
  },
  answers(
    'slow',
    { isSlow: true },
    'An answer whose first token takes seconds and whose others come slowly.',
    REPORTED,
  ),
  answers('empty', { shape: 'empty' }, '502 `upstream_empty`.', NOTHING),
  answers(
    'no-usage',
    { usage: 'none' },
    'An ordinary answer.',
    'An estimate from the text that was delivered, marked as estimated.',
  ),
  answers(
    'late-usage',
    { usage: 'late' },
    'An ordinary answer, a moment later at its end.',
    'The cost that the look-up reports, and the margin.',
  ),
  answers(
    'no-cost',
    { reportsCost: false },
    'An ordinary answer.',
    'The usage at the price of the list, and the margin.',
  ),
  answers(
    'repeat-usage',
    { usage: 'every-chunk' },
    'An ordinary answer: usage on every chunk of the upstream is collapsed to one.',
    REPORTED,
  ),
  answers(
    'usage-on-finish',
    { usage: 'finish-chunk' },
    'An ordinary answer: usage on the last chunk with choices gets its own place.',
    REPORTED,
  ),
  answers(
    'overrun',
    { usageFactor: 10 },
    'An ordinary answer whose usage counts ten tokens for each.',
    'The reported cost and the margin, up to the hold and what is available.',
  ),
  answers(
    'no-done',
    { sendsDone: false },
    'An ordinary answer: a stream that ends without `[DONE]` after a finish reason is whole.',
    REPORTED,
  ),
  answers(
    'no-content-type',
    { sendsContentType: false },
    'An ordinary answer, or 502 `upstream_error` where the type decides.',
    'As for any model; nothing with 502.',
  ),
  answers(
    'fragments',
    { wire: 'fragments' },
    'An ordinary answer: frames and characters that arrive in pieces are put together.',
    REPORTED,
  ),
  answers(
    'odd-frames',
    { wire: 'odd-frames' },
    'An ordinary answer: comments, carriage returns and frames without choices are understood.',
    REPORTED,
  ),
  {
    ...usual,
    name: 'huge',
    parameter: { unit: 'mebibytes', fallback: 16, max: 256 },
    clientSees: 'N MiB of text, 16 KiB a chunk, as fast as the client reads.',
    charged: 'One token for each chunk, at a thousandth of the usual price.',
    behaviour: { kind: 'flood' },
    prices: floodPrices,
    contextLength: 536_870_912,
    maxOutputTokens: 268_435_456,
  },
  answers('length', { limit: 5 }, 'Five tokens and finish reason `length`.', REPORTED),
  answers(
    'reasoning',
    { shape: 'reasoning' },
    'Reasoning before the answer, and `reasoning_tokens` in the usage.',
    REPORTED,
  ),
  answers('tools', { shape: 'tools' }, 'A tool call, also when no tool is offered.', REPORTED),
  answers('refusal', { shape: 'refusal' }, '`refusal` in the place of `content`.', REPORTED),
  answers('filtered', { shape: 'filtered' }, 'Finish reason `content_filter` after some text.', REPORTED),
]
