/** How the bytes of an answer come: events or a document, in which encoding, in which pieces, and where they stop. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { ScriptedAnswer } from '../../packages/server/testing/scripted-answer.ts'
import { nth } from '../fuzz/draw.ts'
import type { Dialect, Trouble } from './dialect.ts'
import { asSaid, type SaidChunk, streamedAnswer, wholeAnswer } from './said-answer.ts'

/** Bodies of errors in the words of public servers. */
const errorBodies: readonly string[] = [
  '{"error":{"message":"The server had an error","type":"server_error","code":null}}',
  '{"error":"something is wrong"}',
  '{"object":"error","message":"something is wrong","type":"InternalServerError","code":500}',
  '{"error":{"message":"slow down","code":429}}',
  '{"detail":[{"loc":["body","x"],"msg":"field required","type":"value_error"}]}',
  '{"error":{"message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.","type":"invalid_request_error"}}',
  '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
  '{"message":"something is wrong"}',
  '',
  '<html><body><h1>Bad Gateway</h1></body></html>',
]

/** Errors that are one wherever they come: in the place of an answer as well as amidst one. */
const errorsInside = errorBodies.slice(0, 4)

const PAGE = '<!DOCTYPE html><html><head><title>Just a moment</title></head><body>Checking.</body></html>'
/** Milliseconds between signs of life that say nothing. */
const DRIP_MS = 60
/** More signs of life than any limit of the gateway bears. */
const DRIPS = 400

/** JSON text, as the dialect writes it. */
function jsonOf({ pretty, escaped }: Dialect, value: unknown): string {
  const text = pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value)
  return escaped
    ? text.replaceAll(/[^ -~\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

function eventOf(dialect: Dialect, json: string, name: string | null = null): string {
  const { lineEnd, eventAs, number } = dialect
  const lines = eventAs === 'several lines' ? json.split('\n') : [json.replaceAll('\n', ' ')]
  const start = eventAs === 'no blank' ? 'data:' : 'data: '
  const named = name ?? (eventAs === 'named' ? 'message' : null)
  const before = named === null ? [] : [`event: ${named}`, ...(number % 2 === 0 ? ['id: 7', 'retry: 100'] : [])]
  return [...before, ...lines.map((line) => `${start}${line}`), '', ''].join(lineEnd)
}

function chunkEvent(dialect: Dialect, { value }: SaidChunk, at: number): string {
  const { comments, lineEnd, number } = dialect
  const comment = comments && (at + number) % 2 === 0 ? `: odd${lineEnd}${lineEnd}` : ''
  return comment + eventOf(dialect, jsonOf(dialect, value))
}

function endOf(dialect: Dialect): string {
  const { done, lineEnd } = dialect
  if (done === 'absent') return ''
  if (done === 'unterminated') return 'data: [DONE]'
  return done === 'blanks' ? `data:  [DONE] ${lineEnd}${lineEnd}` : eventOf({ ...dialect, eventAs: 'plain' }, '[DONE]')
}

/** An error amidst the events of a stream. */
function errorEvent(dialect: Dialect, form: number): string {
  const forms = [
    ...errorsInside.map((body) => eventOf(dialect, body)),
    eventOf(dialect, '{"message":"no capacity","code":503}', 'error'),
    eventOf(dialect, 'overloaded', 'error'),
    eventOf(dialect, '{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}'),
  ]
  return nth(forms, form)
}

/** How the bytes end. */
type End = 'whole' | 'cut' | 'silence' | 'drip'

interface Body {
  readonly text: string
  readonly end: End
}

/** How many chunks come before something goes wrong: behind some of what is said, or before all of it. */
export function chunksBefore(dialect: Dialect, at: number): number {
  const chunks = streamedAnswer(dialect)
  const speeches = chunks.filter(({ isSpeech }) => isSpeech).length
  const first = chunks.findIndex(({ isSpeech }) => isSpeech)
  return Math.max(first, 0) + Math.floor(at * speeches)
}

function eventsBody(dialect: Dialect): Body {
  const { trouble } = dialect
  const chunks = streamedAnswer(dialect)
  const events = chunks.map((chunk, at) => chunkEvent(dialect, chunk, at))
  const until = (at: number): string => events.slice(0, chunksBefore(dialect, at)).join('')
  const whole = events.join('')
  switch (trouble.kind) {
    case 'error':
      return { text: until(trouble.at) + errorEvent(dialect, trouble.form) + endOf(dialect), end: 'whole' }
    case 'garbage':
      return {
        text: until(trouble.at) + eventOf(dialect, '{"choices":[{"index":0,"delta":{"con') + endOf(dialect),
        end: 'whole',
      }
    case 'cut':
    case 'silence':
    case 'drip':
      return { text: until(trouble.at), end: trouble.kind }
    case 'late':
      return trouble.how === 'error'
        ? { text: whole + errorEvent(dialect, 0), end: 'whole' }
        : { text: whole, end: trouble.how }
    case 'empty':
      return {
        text: events.filter((_event, at) => chunks[at]?.isSpeech === false).join('') + endOf(dialect),
        end: 'whole',
      }
    case 'page':
      return { text: PAGE, end: 'whole' }
    default:
      return { text: whole + endOf(dialect), end: 'whole' }
  }
}

function documentBody(dialect: Dialect): Body {
  const { trouble, bom, number } = dialect
  const answer = wholeAnswer(dialect)
  const blanks = number % 5 === 0 ? '\n \n' : ''
  const text = blanks + jsonOf(dialect, answer)
  const part = (at: number): string => text.slice(0, Math.floor(text.length * at * 0.9))
  switch (trouble.kind) {
    case 'error':
      return { text: nth(errorsInside, trouble.form), end: 'whole' }
    case 'garbage':
      return { text: `${part(trouble.at)}{`, end: 'whole' }
    case 'cut':
    case 'silence':
    case 'drip':
      return { text: part(trouble.at), end: trouble.kind }
    case 'empty':
      return { text: jsonOf(dialect, emptied(dialect, answer)), end: 'whole' }
    case 'page':
      return { text: PAGE, end: 'whole' }
    default:
      return { text: bom ? text.trimStart() : text, end: 'whole' }
  }
}

/** The same answer, in which nothing is said. */
function emptied(dialect: Dialect, answer: Record<string, unknown>): unknown {
  const choice = { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }
  return asSaid(dialect, { ...answer, choices: [choice] })
}

function typeOf({ type, isSwapped }: Dialect, isStream: boolean): Readonly<Record<string, string>> {
  const right = isStream !== isSwapped ? 'text/event-stream' : 'application/json'
  const other = right === 'application/json' ? 'text/event-stream' : 'application/json'
  if (type === 'absent') return {}
  const told = { right, other, 'text/plain': 'text/plain', 'with charset': `${right}; charset=utf-8` }[type]
  return { 'content-type': told }
}

function encoded({ encoding }: Dialect, bytes: Buffer): Buffer {
  if (encoding === 'gzip') return gzipSync(bytes)
  if (encoding === 'deflate') return deflateSync(bytes)
  return encoding === 'br' ? brotliCompressSync(bytes) : bytes
}

type Piece = Buffer | string | number

function* piecesOf(bytes: Buffer, sizes: readonly number[]): Generator<Piece> {
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
    if (turn % 4 === 3) yield 0
  }
}

/** The same, and then signs of life, if any. */
function* brokenPieces(pieces: Iterable<Piece>, drip: string | null): Generator<Piece> {
  yield* pieces
  for (let drips = 0; drip !== null && drips < DRIPS; drips++) {
    yield drip
    yield DRIP_MS
  }
}

/** An answer that is cut, or that says nothing any more, is sent as it is: half of what is compressed says less. */
function sent(
  dialect: Dialect,
  { text, end }: Body,
  isEvents: boolean,
): Pick<ScriptedAnswer, 'headers' | 'pieces' | 'end'> {
  const plain = Buffer.from(dialect.bom ? `\uFEFF${text}` : text)
  const isWhole = end === 'whole'
  const headers = isWhole && dialect.encoding !== 'identity' ? { 'content-encoding': dialect.encoding } : {}
  const drip = end === 'drip' ? (isEvents ? `: odd${dialect.lineEnd}${dialect.lineEnd}` : ' \n') : null
  return {
    headers,
    pieces: isWhole
      ? piecesOf(encoded(dialect, plain), dialect.sizes)
      : brokenPieces(piecesOf(plain, dialect.sizes), drip),
    end: end === 'drip' ? 'silence' : end,
  }
}

/** The answer of a dialect to a request that it takes. */
export function answerOf(dialect: Dialect, wantsStream: boolean): ScriptedAnswer {
  const { trouble } = dialect
  if (trouble.kind === 'status') return refusal(trouble)
  const isEvents = wantsStream !== dialect.isSwapped
  const { headers, ...body } = sent(dialect, isEvents ? eventsBody(dialect) : documentBody(dialect), isEvents)
  return { status: 200, headers: { ...typeOf(dialect, wantsStream), ...headers }, ...body }
}

function refusal({ status, body }: Extract<Trouble, { readonly kind: 'status' }>): ScriptedAnswer {
  const text = nth(errorBodies, body)
  const type = text.startsWith('<') ? 'text/html' : 'application/json'
  return { status, headers: { 'content-type': type }, pieces: [text] }
}
