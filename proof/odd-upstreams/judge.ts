/** What must come of a dialect, calculated apart from the gateway, and what came: its end, its words and its charge. */
import { chunksBefore } from './answer-bytes.ts'
import type { Dialect } from './dialect.ts'
import type { Terms } from './agreed-terms.ts'
import type { Form } from './forms.ts'
import type { Reading } from './reading.ts'
import { countedInMiddle, countsOf, rightFinish, saidBytes, streamedAnswer } from './said-answer.ts'

/** USD for a million tokens, and the gateway's margin: what the run configures. */
export const PRICE = { input: '1', output: '2', cached_input: '0.5' } as const
/** Nanocredits for a token: 1 USD for a million is 1,000,000, and 20 % come on top. */
const NANO = { input: 1_200_000n, output: 2_400_000n, cached: 600_000n } as const
/** Nanocredits for 10⁻⁹ USD. */
const NANO_OF_COST = 1_200n

/** A request as it is in the books. */
export interface BookedRow {
  readonly charge: bigint
  readonly status: string
  readonly errorCode: string | null
  readonly promptTokens: number
  readonly completionTokens: number
  readonly isEstimated: boolean
}

export interface Outcome {
  readonly form: Form
  readonly isStream: boolean
  readonly reading: Reading
  /** Null where the request has no record. */
  readonly row: BookedRow | null
  /** What it agreed to pay; null where it agreed to nothing. */
  readonly terms: Terms | null
}

type Due =
  /** Failed by the upstream's own words, or before anything was delivered: an error, and free. */
  | { readonly kind: 'free' }
  /** Broke off: what was delivered is charged, and free where nothing was. */
  | { readonly kind: 'part'; readonly bytes: number }
  | { readonly kind: 'whole' }
  /** Nothing was said, and that is the answer. */
  | { readonly kind: 'empty' }

/** Whether the end of the stream is said: by a finish reason, or by `[DONE]`. */
function saysEnd({ finish, done }: Dialect): boolean {
  return (finish !== 'absent' && finish !== 'empty') || done !== 'absent'
}

/** What must come. */
export function dueOf(dialect: Dialect, isStream: boolean): Due {
  const { trouble, finish, isSwapped } = dialect
  const isEvents = isStream !== isSwapped
  const total = saidBytes(dialect)
  const whole: Due = isEvents && !saysEnd(dialect) ? partOf(total, isStream) : { kind: 'whole' }
  switch (trouble.kind) {
    case 'none':
      return whole
    case 'late': {
      if (!isEvents) return whole
      const hasFinish = finish !== 'absent' && finish !== 'empty'
      if (trouble.how === 'error') return hasFinish && isCounted(dialect, true) ? { kind: 'whole' } : { kind: 'free' }
      return hasFinish ? { kind: 'whole' } : partOf(total, isStream)
    }
    case 'cut':
    case 'garbage':
    case 'silence':
    case 'drip':
      return isEvents ? partOf(bytesBefore(dialect, trouble.at), isStream) : { kind: 'free' }
    case 'empty':
      return isExplained(dialect, isEvents) && (!isEvents || saysEnd(dialect)) ? { kind: 'empty' } : { kind: 'free' }
    default:
      return { kind: 'free' }
  }
}

/** An answer without content is one where its limit, or reasoning that nobody sees, has taken the tokens. */
function isExplained(dialect: Dialect, isEvents: boolean): boolean {
  const { finish, completes } = dialect
  // Nothing may be missing between two texts, where it says that it stopped.
  if (completes === 'gap' && (!isEvents || !['absent', 'empty', 'length'].includes(finish))) return true
  const isCut = isEvents && dialect.finish === 'length'
  return isCut || (countsOf(dialect).reasoning > 0 && isCounted(dialect, isEvents))
}

/** A part of a stream is delivered; one of a whole answer is not. */
function partOf(bytes: number, isStream: boolean): Due {
  return isStream && bytes > 0 ? { kind: 'part', bytes } : { kind: 'free' }
}

function bytesBefore(dialect: Dialect, at: number): number {
  return streamedAnswer(dialect)[chunksBefore(dialect, at) - 1]?.bytes ?? 0
}

function bytesOf(reading: Reading): number {
  const { text, reasoning, calls } = reading
  const texts = [text, reasoning, ...calls.flatMap((call) => [call.name, call.input])]
  return texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
}

function sameJson(one: string, other: string): boolean {
  const spaced = (value: string): string => value.replaceAll(/\s(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/g, '')
  return spaced(one) === spaced(other) || JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other))
}

/** What of a whole answer is not what was said. */
function wordsFaults(dialect: Dialect, { reading }: Outcome): readonly string[] {
  const { speech } = dialect
  const faults: string[] = []
  const differ = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) faults.push(`${what} is ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`)
  }
  differ('the text', reading.text, speech.text.join(''))
  differ('the reasoning', reading.reasoning, speech.reasoning.join(''))
  differ('the end', reading.finish, rightFinish(dialect))
  differ('the number of calls', reading.calls.length, speech.calls.length)
  for (const [at, call] of reading.calls.entries()) {
    const said = speech.calls[at]
    if (said === undefined) continue
    differ('a name', call.name, said.name)
    if (!sameJson(call.input, said.input)) differ('an input', call.input, said.input)
    if (dialect.callId === 'given') differ('an id', call.id, said.id)
    if (dialect.callId === 'number') differ('an id', call.id, String(70 + at))
  }
  return faults
}

/** What of a part is not the beginning of what was said. */
function partFaults({ speech }: Dialect, { reading }: Outcome): readonly string[] {
  const isPart = speech.text.join('').startsWith(reading.text)
  return isPart ? [] : [`what was delivered is ${JSON.stringify(reading.text)}`]
}

/** Whether the upstream has told all that is charged; else the gateway counts. */
function isCounted(dialect: Dialect, isEvents: boolean): boolean {
  const { usageAt, usageAs } = dialect
  if (usageAs === 'texts' || ['absent', 'null', 'zero'].includes(usageAt)) return false
  if (!isEvents) return true
  // What is counted in the middle may be all there is.
  if (usageAt === 'middle') return countedInMiddle(dialect).bytes === saidBytes(dialect)
  return usageAt !== 'start'
}

function byCard(prompt: number, cached: number, completion: number): bigint {
  return BigInt(prompt - cached) * NANO.input + BigInt(cached) * NANO.cached + BigInt(completion) * NANO.output
}

function tokensOf(bytes: number): number {
  return Math.ceil(bytes / 4)
}

/** What an estimate must be: what was delivered, or a count of its beginning and what was delivered behind that. */
function estimatedTokens(dialect: Dialect, isEvents: boolean): number {
  if (dialect.trouble.kind === 'empty') return 0
  const total = saidBytes(dialect)
  if (!isEvents || dialect.usageAt !== 'middle' || dialect.usageAs === 'texts') return tokensOf(total)
  const { tokens, bytes } = countedInMiddle(dialect)
  // A count that explains all of it may be of all of it.
  return tokens >= tokensOf(total) ? tokens : tokens + tokensOf(total - bytes)
}

function estimateFaults(row: BookedRow, dialect: Dialect, isEvents: boolean): readonly string[] {
  const { prompt, cached } = countsOf(dialect)
  const isKnown = row.promptTokens === prompt
  const due = byCard(row.promptTokens, 0, row.completionTokens)
  const dueCached = byCard(row.promptTokens, isKnown ? cached : 0, row.completionTokens)
  const tokens = estimatedTokens(dialect, isEvents)
  const isPartial = isEvents && dialect.usageAt === 'middle' && row.completionTokens === countedInMiddle(dialect).tokens
  return [
    ...(row.charge === due || row.charge === dueCached ? [] : [`${row.charge} is not by the card of its tokens`]),
    ...(row.isEstimated || isPartial ? [] : ['it is said to be the upstream’s count']),
    ...(row.completionTokens === tokens ? [] : [`${row.completionTokens} tokens, and ${tokens} were delivered`]),
    ...(row.promptTokens > 0 && row.promptTokens < 400 ? [] : [`a prompt of ${row.promptTokens} tokens`]),
  ]
}

function wholeCharge(dialect: Dialect, { isStream, row }: Outcome & { readonly row: BookedRow }): readonly string[] {
  const isEvents = isStream !== dialect.isSwapped
  if (!isCounted(dialect, isEvents)) return estimateFaults(row, dialect, isEvents)
  const { prompt, cached, completion, cost } = countsOf(dialect)
  const due = cost === null ? byCard(prompt, cached, completion) : BigInt(cost) * NANO_OF_COST
  return [
    ...(row.charge === due ? [] : [`${row.charge} is charged, and ${due} was reported`]),
    ...(row.isEstimated ? ['it says that it was estimated'] : []),
  ]
}

/** Whether the answer broke off before any count of the upstream can have come. */
function isUncounted({ trouble, usageAt, usageAs }: Dialect): boolean {
  const isCut = ['cut', 'garbage', 'silence', 'drip'].includes(trouble.kind)
  return isCut && (usageAs === 'texts' || !['each', 'middle', 'start'].includes(usageAt))
}

/** A part may have been counted by the upstream by then, which then counts. */
function partCharge(dialect: Dialect, bytes: number, { reading, row }: Outcome & { readonly row: BookedRow }) {
  const { completion, prompt, cached, cost } = countsOf(dialect)
  const tokens = row.completionTokens
  if (isUncounted(dialect)) {
    return [
      ...(row.charge === byCard(row.promptTokens, 0, tokens) ? [] : [`${row.charge} is not by the card of its tokens`]),
      ...(tokens >= tokensOf(bytesOf(reading)) ? [] : [`${tokens} tokens, and the client has more`]),
      ...(tokens <= tokensOf(bytes) ? [] : [`${tokens} tokens, and fewer were sent`]),
    ]
  }
  const most = byCard(Math.max(prompt, row.promptTokens), 0, Math.max(completion, tokensOf(bytes) + 1))
  const asCost = cost === null ? 0n : BigInt(cost) * NANO_OF_COST
  const isReported = row.charge === byCard(prompt, cached, completion) || row.charge === asCost
  return [
    ...(row.charge > 0n ? [] : ['what was delivered is free']),
    ...(row.charge <= most || isReported ? [] : [`${row.charge} is more than all of it`]),
    ...(tokens >= Math.floor(bytesOf(reading) / 128) ? [] : ['less than was delivered']),
  ]
}

/** Everything that is not as it must be; nothing for most. */
export function faultsOf(dialect: Dialect, outcome: Outcome): readonly string[] {
  const { row, terms } = outcome
  if (terms === null) return faultsOfAnswer(dialect, outcome)
  const dear =
    (row?.charge ?? 0n) > terms.most ? [`${row?.charge} is charged, and at most ${terms.most} was agreed`] : []
  return [...dear, ...(terms.isLess ? faultsOfLess(dialect, outcome) : faultsOfAnswer(dialect, outcome))]
}

/** An answer that is paid for in part may be cut where that ends; else its charge is cut, and nothing of its words. */
function faultsOfLess(dialect: Dialect, { reading, row, isStream }: Outcome): readonly string[] {
  const due = dueOf(dialect, isStream)
  const isBegun = dialect.speech.text.join('').startsWith(reading.text)
  const isFree = due.kind === 'free' && isBare(reading)
  return [
    ...(isBegun ? [] : [`what was delivered is ${JSON.stringify(reading.text)}`]),
    ...(isFree && (row?.charge ?? 0n) > 0n ? [`a failure is charged ${row?.charge}`] : []),
    ...(due.kind === 'whole' && reading.ends !== 'whole' ? [`it is ${reading.ends} (${row?.errorCode})`] : []),
    ...(due.kind !== 'free' && bytesOf(reading) > 0 && (row?.charge ?? 0n) === 0n
      ? ['what was delivered is free']
      : []),
    ...toldFaults(reading, row),
  ]
}

function toldFaults({ credits }: Reading, row: BookedRow | null): readonly string[] {
  if (credits === null || row === null) return []
  const told = BigInt(Math.round(credits * 1e9))
  return told === row.charge ? [] : [`${told} is told, and ${row.charge} is charged`]
}

function faultsOfAnswer(dialect: Dialect, outcome: Outcome): readonly string[] {
  const { reading, row, isStream } = outcome
  const due = dueOf(dialect, isStream)
  if (due.kind === 'free' || (due.kind === 'part' && isBare(reading))) {
    return [
      ...(reading.ends === 'failed' ? [] : ['a failure is an answer']),
      ...(row === null || row.charge === 0n || row.charge === billedFor(dialect, outcome)
        ? []
        : [`a failure is charged ${row.charge}`]),
    ]
  }
  const ends = due.kind === 'part' ? 'failed' : 'whole'
  if (reading.ends !== ends) return [`it is ${reading.ends} and not ${ends} (${row?.errorCode ?? 'no error'})`]
  if (row === null) return ['it is not in the books']
  return [
    ...toldFaults(reading, row),
    ...(due.kind === 'whole' ? wordsFaults(dialect, outcome) : partFaults(dialect, outcome)),
    ...(due.kind === 'part'
      ? partCharge(dialect, due.bytes, { ...outcome, row })
      : wholeCharge(dialect, { ...outcome, row })),
    ...(due.kind === 'part' || row.status === 'ok' ? [] : [`its status is ${row.status}`]),
  ]
}

/** What a failure costs that came behind delivered content and names its cost: the upstream bills it all the same. */
function billedFor(dialect: Dialect, { reading }: Outcome): bigint | null {
  const { cost } = countsOf(dialect)
  return cost === null || isBare(reading) ? null : BigInt(cost) * NANO_OF_COST
}

/** Whether nothing was delivered. */
function isBare(reading: Reading): boolean {
  return reading.ends === 'failed' && bytesOf(reading) === 0
}
