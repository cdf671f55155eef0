/**
 * A random dialect of an upstream: what it says, how it spells that, how its bytes come, and what goes wrong. Each part
 * is plain in most dialects, so that a few oddities meet in each. Plain is first, for a person who reads a fault.
 */
import fc from 'fast-check'
import { rarely, weighted } from '../fuzz/draw.ts'

/** A call of a tool. */
export interface SaidCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly input: string
}

/** What the model says, whatever the spelling. */
export interface Speech {
  /** In pieces. */
  readonly reasoning: readonly string[]
  /** In pieces. */
  readonly text: readonly string[]
  readonly calls: readonly SaidCall[]
}

/** What goes wrong. `at` is the place among the pieces, as a part of all. */
export type Trouble =
  | { readonly kind: 'none' | 'empty' | 'page' }
  /** An error status. */
  | { readonly kind: 'status'; readonly status: number; readonly body: number }
  /** An error in the place of an answer, or amidst one. */
  | { readonly kind: 'error'; readonly at: number; readonly form: number }
  | { readonly kind: 'cut' | 'garbage' | 'silence' | 'drip'; readonly at: number }
  /** Behind an answer that is whole. */
  | { readonly kind: 'late'; readonly how: 'cut' | 'error' | 'silence' | 'drip' }

export interface Dialect {
  readonly speech: Speech
  readonly reasoningAs: 'reasoning_content' | 'reasoning' | 'both' | 'details' | 'parts'
  readonly contentAs: 'text' | 'parts'
  readonly callIndex: 'given' | 'absent' | 'same' | 'from one' | 'null'
  readonly callId: 'given' | 'absent' | 'empty' | 'number'
  readonly callType: 'given' | 'absent' | 'null'
  readonly callInput: 'text' | 'object'
  readonly callPlace: 'function' | 'beside'
  readonly callPieces: 'one' | 'pieces' | 'name again' | 'id again' | 'all in one chunk'
  readonly finish: 'right' | 'stop' | 'absent' | 'empty' | 'other word' | 'twice' | 'length'
  readonly usageAt:
    | ('last' | 'finish' | 'empty choice' | 'each' | 'before finish' | 'twice' | 'vendor')
    | ('start' | 'middle' | 'absent' | 'null' | 'zero')
  readonly usageAs: 'plain' | 'no total' | 'no completion' | 'apart' | 'texts' | 'cost'
  readonly cached: 'none' | 'details' | 'hits' | 'flat'
  readonly lacks: readonly Member[]
  /** Members that a chunk has beside those it should have. */
  readonly more: boolean
  readonly done: '[DONE]' | 'absent' | 'blanks' | 'unterminated'
  readonly lineEnd: '\n' | '\r\n' | '\r'
  readonly eventAs: 'plain' | 'no blank' | 'named' | 'several lines'
  readonly comments: boolean
  readonly bom: boolean
  readonly pretty: boolean
  readonly escaped: boolean
  readonly type: 'right' | 'other' | 'text/plain' | 'absent' | 'with charset'
  readonly encoding: 'identity' | 'gzip' | 'deflate' | 'br'
  readonly sizes: readonly number[]
  /** Sends events where a document is asked for, and the other way round. */
  readonly isSwapped: boolean
  readonly refuses: readonly Refused[]
  readonly refusal: 'all' | 'first' | 'vague'
  readonly trouble: Trouble
  /**
   * What it completes: chats, or texts by a path for them, where there may be a text behind the gap. Every dialect is
   * drawn as one of chats.
   */
  readonly completes: 'chat' | 'text' | 'gap'
  /** Decides what is left. */
  readonly number: number
}

type Member = 'id' | 'object' | 'created' | 'model' | 'role' | 'index'
export type Refused = 'stream_options' | 'reasoning' | 'cache_control'

const words = ['Hello', ' wörld', '\n', '"', '😀', ' {"a":1}', ' ', 'the', ' quick', '\\n', 'data: x', 'ü', '\u2028']
const piece = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
const inputs = ['{}', '{"p":1}', '{"p": 12345678901234567890}', '{"q":"a\\"b","r":[1.0,{"s":null}]}', '{"t":"ü😀"}']

const call = fc.record({ name: fc.constantFrom('add', 'see'), input: fc.constantFrom(...inputs) })
const calls = weighted(
  [1, fc.constant<{ readonly name: string; readonly input: string }[]>([])],
  [1, fc.array(call, { minLength: 1, maxLength: 3 })],
)

const speech: fc.Arbitrary<Speech> = fc
  .record({
    reasoning: rarely(3, fc.array(piece, { minLength: 1, maxLength: 4 }), []),
    text: fc.array(piece, { minLength: 1, maxLength: 6 }),
    calls,
    isSilent: fc.boolean(),
  })
  .map(({ reasoning, text, calls: called, isSilent }) => ({
    reasoning,
    // Where there are calls there is often no text.
    text: isSilent && called.length > 0 ? [] : text,
    calls: called.map((each, at) => ({ id: `call_${at}x`, ...each })),
  }))

/** One word of several: the first in most dialects. */
function word<Word extends string>(plain: Word, ...others: readonly [Word, ...Word[]]): fc.Arbitrary<Word> {
  return weighted([3, fc.constant(plain)], [1, fc.constantFrom(...others)])
}

const place = fc.nat(99).map((percent) => percent / 100)
const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 504, 529] as const

/** Silence takes as long as the gateway is patient, so it is rare. */
const trouble: fc.Arbitrary<Trouble> = weighted(
  [130, fc.constant({ kind: 'none' } as const)],
  [8, fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(...statuses), body: fc.nat(99) })],
  [10, fc.record({ kind: fc.constant('error' as const), at: place, form: fc.nat(99) })],
  [14, fc.record({ kind: fc.constantFrom('cut', 'garbage'), at: place })],
  [3, fc.record({ kind: fc.constantFrom('silence', 'drip'), at: place })],
  [4, fc.record({ kind: fc.constantFrom('empty', 'page') })],
  [4, fc.record({ kind: fc.constant('late' as const), how: fc.constantFrom('cut', 'error') })],
  [1, fc.record({ kind: fc.constant('late' as const), how: fc.constantFrom('silence', 'drip') })],
)

const drawn: fc.Arbitrary<Dialect> = fc.record({
  speech,
  reasoningAs: word('reasoning_content', 'reasoning', 'both', 'details', 'parts'),
  contentAs: rarely(10, fc.constant('parts'), 'text'),
  callIndex: word('given', 'absent', 'same', 'from one', 'null'),
  callId: word('given', 'absent', 'empty', 'number'),
  callType: rarely(4, fc.constantFrom('absent', 'null'), 'given'),
  callInput: rarely(4, fc.constant('object'), 'text'),
  callPlace: rarely(8, fc.constant('beside'), 'function'),
  callPieces: word('one', 'pieces', 'name again', 'id again', 'all in one chunk'),
  finish: word('right', 'stop', 'absent', 'empty', 'other word', 'twice', 'length'),
  usageAt: weighted(
    [2, fc.constant('last')],
    [2, fc.constantFrom('finish', 'empty choice', 'each', 'before finish', 'twice', 'vendor')],
    [1, fc.constantFrom('start', 'middle', 'absent', 'null', 'zero')],
  ),
  usageAs: word('plain', 'no total', 'no completion', 'apart', 'texts', 'cost'),
  cached: word('none', 'details', 'hits', 'flat'),
  lacks: rarely(3, fc.subarray(['id', 'object', 'created', 'model', 'role', 'index'] as const), []),
  more: rarely(4, fc.constant(true), false),
  done: word('[DONE]', 'absent', 'blanks', 'unterminated'),
  lineEnd: word('\n', '\r\n', '\r'),
  eventAs: word('plain', 'no blank', 'named', 'several lines'),
  comments: rarely(6, fc.constant(true), false),
  bom: rarely(12, fc.constant(true), false),
  pretty: rarely(8, fc.constant(true), false),
  escaped: rarely(6, fc.constant(true), false),
  type: word('right', 'other', 'text/plain', 'absent', 'with charset'),
  encoding: rarely(6, fc.constantFrom('gzip', 'deflate', 'br'), 'identity'),
  sizes: weighted(
    [2, fc.constant([4_000])],
    [2, fc.array(fc.integer({ min: 20, max: 400 }), { minLength: 1, maxLength: 4 })],
    [1, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 })],
  ),
  isSwapped: rarely(14, fc.constant(true), false),
  refuses: rarely(5, fc.subarray(['stream_options', 'reasoning', 'cache_control'] as const, { minLength: 1 }), []),
  refusal: fc.constantFrom('all', 'first', 'vague'),
  trouble,
  completes: fc.constant('chat'),
  number: fc.nat(),
})

/**
 * Without what no reader could understand: calls that have the same number are told apart by ids alone, and an object
 * comes in one piece.
 */
function madeReadable(dialect: Dialect): Dialect {
  const { callIndex, callInput, callPieces, lineEnd, eventAs } = dialect
  const isLoose = callIndex === 'same'
  const isWhole = callInput === 'object' && callPieces !== 'all in one chunk'
  return {
    ...dialect,
    ...(isLoose ? { callId: 'given' } : {}),
    ...(isWhole ? { callPieces: 'one' } : {}),
    // JSON that is written over several lines has line feeds.
    ...(eventAs === 'several lines' && lineEnd === '\r' ? { lineEnd: '\n' } : {}),
  } as Dialect
}

export const dialect: fc.Arbitrary<Dialect> = drawn.map(madeReadable)

/** A dialect in which no tool is called: a text completion offers none. */
function withoutCalls({ speech, ...others }: Dialect): Dialect {
  return { ...others, speech: { ...speech, calls: [], text: speech.text.length === 0 ? ['Hello'] : speech.text } }
}

/**
 * What a dialect is to a text completion. An upstream with a path for texts has no place for reasoning, and none for
 * content in parts.
 */
export function textDialect(dialect: Dialect, hasPath: boolean): Dialect {
  const { speech, ...others } = withoutCalls(dialect)
  if (!hasPath) return { ...others, speech }
  const completes = dialect.number % 3 === 0 ? 'gap' : 'text'
  return { ...others, speech: { ...speech, reasoning: [] }, contentAs: 'text', completes }
}
