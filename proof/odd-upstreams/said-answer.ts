/** What a dialect makes of a speech: the JSON of a whole answer, and that of the chunks of a stream. */
import type { Dialect, SaidCall } from './dialect.ts'

type Json = Record<string, unknown>

interface ExactJson {
  rawJSON(text: string): unknown
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
}

// The compiler's library does not describe these standard parts of JSON yet.
const exactJson = JSON as unknown as ExactJson

/** A value by its text, so that every digit is sent. */
function exactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exactJson.rawJSON(source) : value,
  )
}

/** Tokens as the upstream counts them. */
export interface Counts {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
  /** USD × 10⁻⁹; null where it names none. */
  readonly cost: number | null
}

/** A chunk, and how many bytes of what is said have come with it and before. */
export interface SaidChunk {
  readonly value: Json
  readonly bytes: number
  /** Whether it has a part of the speech. */
  readonly isSpeech: boolean
}

const bytesOf = (...texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** The input of a call as text; an object has no blanks. */
function inputText({ callInput }: Dialect, input: string): string {
  return callInput === 'object' ? JSON.stringify(exactly(input)) : input
}

/** Bytes of all that is said. */
export function saidBytes(dialect: Dialect): number {
  const { reasoning, text, calls } = dialect.speech
  return bytesOf(...reasoning, ...text, ...calls.flatMap(({ name, input }) => [name, inputText(dialect, input)]))
}

/** What the upstream counts for its answer. It depends on nothing but the dialect. */
export function countsOf(dialect: Dialect): Counts {
  const { number, speech, cached, usageAs } = dialect
  const prompt = 20 + (number % 80)
  const reasoning = speech.reasoning.length > 0 ? 1 + (number % 7) : 0
  const completion = Math.ceil(saidBytes(dialect) / 4) + reasoning + (number % 11)
  return {
    ...{ prompt, reasoning, completion },
    cached: cached === 'none' ? 0 : number % 20,
    cost: usageAs === 'cost' ? 1_000 + (number % 100_000) : null,
  }
}

/** @param counted how many of the completion's tokens are counted by now. */
function usageOf(dialect: Dialect, counted: number): Json {
  const { prompt, cached, completion, reasoning, cost } = countsOf(dialect)
  const { usageAs, cached: cachedAs } = dialect
  const isWhole = counted === completion
  const apart = usageAs === 'apart' && isWhole ? reasoning : 0
  const usage: Json = {
    prompt_tokens: prompt,
    completion_tokens: counted - apart,
    total_tokens: prompt + counted,
    ...(reasoning > 0 && isWhole ? { completion_tokens_details: { reasoning_tokens: reasoning } } : {}),
    ...(cachedAs === 'details' ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
    ...(cachedAs === 'hits' ? { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: prompt - cached } : {}),
    ...(cachedAs === 'flat' ? { cached_tokens: cached } : {}),
    ...(cost === null || !isWhole ? {} : { cost: exactly((cost / 1e9).toFixed(9)) }),
  }
  if (usageAs === 'no total') delete usage['total_tokens']
  if (usageAs === 'no completion') delete usage['completion_tokens']
  if (usageAs === 'texts') return { input_tokens: String(prompt), output_tokens: String(counted) }
  return usage
}

const ZEROS = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

function commonOf({ lacks, more, number }: Dialect, object: string): Json {
  const all: Json = {
    id: `answer-${number}`,
    object,
    created: 1_795_813_200,
    model: 'odd',
    ...(more ? { provider: 'Odd', timings: { predicted_ms: 1.5 }, system_fingerprint: null, obfuscation: 'x' } : {}),
  }
  for (const member of lacks) delete all[member]
  return all
}

/** Reasoning under the names of a dialect. @param parts whether content is there to hold it. */
function reasoningIn({ reasoningAs }: Dialect, text: string): Json {
  if (reasoningAs === 'both') return { reasoning: text, reasoning_content: text }
  if (reasoningAs === 'details') {
    const detail = { type: 'reasoning.text', text, index: 0, format: 'unknown' }
    return { reasoning: text, reasoning_details: [detail] }
  }
  if (reasoningAs === 'parts') return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }
  return { [reasoningAs]: text }
}

function contentIn({ contentAs }: Dialect, text: string): unknown {
  return contentAs === 'parts' ? [{ type: 'text', text }] : text
}

/** One piece of a call, or all of it. */
interface CallPiece {
  readonly call: SaidCall
  readonly at: number
  readonly input: string
  readonly isFirst: boolean
  readonly isWhole: boolean
}

function indexIn({ callIndex }: Dialect, at: number): Json {
  if (callIndex === 'absent') return {}
  if (callIndex === 'null') return { index: null }
  if (callIndex === 'same') return { index: 0 }
  return { index: callIndex === 'from one' ? at + 1 : at }
}

function callOf(dialect: Dialect, { call, at, input, isFirst, isWhole }: CallPiece): Json {
  const { callId, callType, callInput, callPlace, callPieces } = dialect
  const id = { given: { id: call.id }, absent: {}, empty: { id: '' }, number: { id: 70 + at } }[callId]
  const type = { given: { type: 'function' }, absent: {}, null: { type: null } }[callType]
  const hasName = isFirst || callPieces === 'name again'
  const given = callInput === 'object' && isWhole ? exactly(input) : input
  const named = { ...(hasName ? { name: call.name } : {}), arguments: given }
  const isBeside = callPlace === 'beside' && hasName
  return {
    ...(isFirst || callPieces === 'id again' ? id : {}),
    ...(isFirst ? type : {}),
    ...(isBeside ? named : { function: named }),
  }
}

/** A call cut in three. */
function piecesOf(call: SaidCall, at: number): readonly CallPiece[] {
  const { input } = call
  const cuts = ['', input.slice(0, 1), input.slice(1)]
  return cuts.map((part, index) => ({ call, at, input: part, isFirst: index === 0, isWhole: false }))
}

function callChunks(dialect: Dialect): readonly (readonly CallPiece[])[] {
  const { calls } = dialect.speech
  const whole = calls.map((call, at) => ({ call, at, input: call.input, isFirst: true, isWhole: true }))
  if (dialect.callPieces === 'all in one chunk') return whole.length === 0 ? [] : [whole]
  if (dialect.callPieces === 'one') return whole.map((each) => [each])
  return calls.flatMap((call, at) => piecesOf(call, at).map((each) => [each]))
}

/** The word for the end, as the upstream says it; null where it says none. */
function finishOf({ finish, speech: { calls } }: Dialect): string | null {
  if (finish === 'absent') return null
  if (finish === 'empty') return ''
  if (finish === 'length') return 'length'
  const right = calls.length > 0 ? 'tool_calls' : 'stop'
  if (finish === 'stop') return 'stop'
  return finish === 'other word' ? (calls.length > 0 ? 'tool_use' : 'eos') : right
}

/** The word for the end that a client has to read. */
export function rightFinish({ finish, speech: { calls } }: Dialect): string {
  if (finish === 'length') return 'length'
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

/** What a chat says in a chunk or an answer, as a text completion says it. */
function textChoice({ delta, message, ...choice }: Json): Json {
  const { content } = Object(delta ?? message) as Json
  return { ...choice, text: content ?? '', logprobs: null }
}

/** An answer, or a chunk of one, in the form of what it completes. */
export function asSaid({ completes }: Dialect, value: Json): Json {
  if (completes === 'chat') return value
  const choices = (value['choices'] as readonly Json[]).map(textChoice)
  return { ...value, ...('object' in value ? { object: 'text_completion' } : {}), choices }
}

/** The whole answer. */
export function wholeAnswer(dialect: Dialect): Json {
  const { speech, usageAt, lacks } = dialect
  const text = speech.text.join('')
  const thought = speech.reasoning.length === 0 ? {} : reasoningIn(dialect, speech.reasoning.join(''))
  const said = text === '' ? { content: null } : { content: contentIn(dialect, text) }
  const both = [thought['content'], said.content].filter((each) => Array.isArray(each) || typeof each === 'string')
  const parts = both.flatMap((each) => (Array.isArray(each) ? each : [{ type: 'text', text: each }]))
  const content = Array.isArray(thought['content']) ? { content: parts } : said
  const calls = speech.calls.map((call, at) =>
    callOf(dialect, { call, at, input: call.input, isFirst: true, isWhole: true }),
  )
  const usage = ['absent', 'null', 'zero'].includes(usageAt) ? null : usageOf(dialect, countsOf(dialect).completion)
  const message = { role: 'assistant', ...thought, ...content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }
  const choice: Json = { index: 0, message, finish_reason: finishOf(dialect) }
  if (lacks.includes('index')) delete choice['index']
  const told =
    usageAt === 'vendor'
      ? { x_groq: { usage } }
      : usageAt === 'absent'
        ? {}
        : { usage: usageAt === 'zero' ? ZEROS : usage }
  return asSaid(dialect, { ...commonOf(dialect, 'chat.completion'), choices: [choice], ...told })
}

interface Said {
  readonly delta: Json
  readonly bytes: number
}

function saidPieces(dialect: Dialect): readonly Said[] {
  const { speech } = dialect
  return [
    ...speech.reasoning.map((text) => ({ delta: reasoningIn(dialect, text), bytes: bytesOf(text) })),
    ...speech.text.map((text) => ({ delta: { content: contentIn(dialect, text) }, bytes: bytesOf(text) })),
    ...callChunks(dialect).map((pieces) => ({
      delta: {
        tool_calls: pieces.map((each) => ({ ...indexIn(dialect, each.at), ...callOf(dialect, each) })),
      },
      bytes: bytesOf(
        ...pieces.flatMap(({ call, input, isFirst }) => [isFirst ? call.name : '', inputText(dialect, input)]),
      ),
    })),
  ]
}

/** What is counted with the piece in the middle: so many tokens, of so many bytes. */
export function countedInMiddle(dialect: Dialect): { readonly tokens: number; readonly bytes: number } {
  const all = saidPieces(dialect)
  const bytes = all.slice(0, middleOf(all) + 1).reduce((sum, piece) => sum + piece.bytes, 0)
  return { tokens: Math.max(1, countAt(dialect, bytes)), bytes }
}

function middleOf(all: readonly Said[]): number {
  return Math.floor(all.length / 2)
}

function countAt(dialect: Dialect, bytes: number): number {
  return Math.floor((countsOf(dialect).completion * bytes) / Math.max(saidBytes(dialect), 1))
}

/** The chunks of a stream, up to its end. */
export function streamedAnswer(dialect: Dialect): readonly SaidChunk[] {
  const { usageAt, lacks, finish } = dialect
  const counts = countsOf(dialect)
  const all = saidPieces(dialect)
  const common = commonOf(dialect, 'chat.completion.chunk')
  const whole = usageOf(dialect, counts.completion)
  const place = lacks.includes('index') ? {} : { index: 0 }
  const chunk = (delta: Json, reason: unknown, more: Json = {}): Json => ({
    ...common,
    choices: [{ ...place, delta, ...(reason === undefined ? {} : { finish_reason: reason }) }],
    ...(usageAt === 'null' ? { usage: null } : {}),
    ...more,
  })
  const open = finish === 'empty' ? '' : null
  const role = lacks.includes('role') ? [] : [chunk({ role: 'assistant', content: '' }, open, atStart(dialect))]
  let bytes = 0
  const said = all.map(({ delta, bytes: more }, at) => {
    bytes += more
    const counted = countAt(dialect, bytes)
    const isCounted = usageAt === 'each' || (usageAt === 'middle' && at === middleOf(all))
    const own = at === 0 && role.length === 0 ? atStart(dialect) : {}
    const value = chunk(delta, open, isCounted ? { usage: usageOf(dialect, Math.max(1, counted)) } : own)
    return { value, bytes, isSpeech: true }
  })
  const ended = { bytes, isSpeech: false }
  const usageChunk = { value: { ...common, choices: [], usage: whole }, ...ended }
  const reason = finishOf(dialect)
  const withFinish = ['finish', 'each', 'twice'].includes(usageAt) ? { usage: whole } : {}
  const vendor = usageAt === 'vendor' ? { x_groq: { usage: whole } } : {}
  const last = { value: chunk({}, reason, { ...withFinish, ...vendor }), ...ended }
  const chunks = [
    ...role.map((value) => ({ value, bytes: 0, isSpeech: false })),
    ...said,
    ...(usageAt === 'before finish' ? [usageChunk] : []),
    last,
    ...(finish === 'twice' ? [{ value: chunk({}, reason), ...ended }] : []),
    ...(usageAt === 'last' || usageAt === 'twice' ? [usageChunk] : []),
    ...(usageAt === 'empty choice' ? [{ value: chunk({}, null, { usage: whole }), ...ended }] : []),
    ...(usageAt === 'zero' ? [{ value: { ...common, choices: [], usage: ZEROS }, ...ended }] : []),
  ]
  return chunks.map((each) => ({ ...each, value: asSaid(dialect, each.value) }))
}

/** Usage with the first chunk alone: the prompt is counted, and nothing of the answer. */
function atStart(dialect: Dialect): Json {
  return dialect.usageAt === 'start' ? { usage: usageOf(dialect, 0) } : {}
}
