/** What a client reads in an answer, in whichever form, and how strict readers of the forms share their work. */

export type Json = Readonly<Record<string, unknown>>

export interface ReadCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly input: string
}

/** An answer as a client has it. */
export interface Reading {
  /** Whole, or ended by an error that the client can read. */
  readonly ends: 'whole' | 'failed'
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ReadCall[]
  /** In the words of a chat; null where it failed. */
  readonly finish: string | null
  /** Tokens of prompt and completion that it was told; null for none. */
  readonly usage: readonly [prompt: number, completion: number] | null
  /** Credits that it was told; null for none. */
  readonly credits: number | null
}

/** An answer that a client of its form cannot read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError'
}

/** @throws {UnreadableError} where a rule is broken. */
export function must(isTrue: boolean, rule: string, what: unknown = ''): asserts isTrue {
  if (!isTrue) throw new UnreadableError(`${rule}: ${JSON.stringify(what)?.slice(0, 300)}`)
}

export function record(value: unknown, rule: string): Json {
  must(typeof value === 'object' && value !== null && !Array.isArray(value), `${rule} is no object`, value)
  return value as Json
}

export function records(value: unknown, rule: string): readonly Json[] {
  must(Array.isArray(value), `${rule} is no list`, value)
  return value.map((each) => record(each, rule))
}

export function text(value: unknown, rule: string): string {
  must(typeof value === 'string', `${rule} is no text`, value)
  return value
}

export function name(value: unknown, rule: string): string {
  must(text(value, rule) !== '', `${rule} is empty`)
  return value as string
}

export function count(value: unknown, rule: string): number {
  must(Number.isSafeInteger(value) && (value as number) >= 0, `${rule} is no count`, value)
  return value as number
}

/** JSON text as an object, as every client of a tool reads it. */
export function input(value: string, rule: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch {
    throw new UnreadableError(`${rule} is no JSON: ${value.slice(0, 200)}`)
  }
  record(parsed, rule)
  return value
}

/** One event of a stream: its name, and its data. */
export interface ReadEvent {
  readonly name: string | null
  readonly data: string
}

/** The events of a stream that was sent to its end; comments are passed over. */
export function eventsIn(body: string): readonly ReadEvent[] {
  const blocks = body.split('\n\n')
  must(blocks.pop() === '', 'the stream ends within an event', body.slice(-200))
  return blocks
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const match = /^(?:event: ([\w.]+)\n)?data: ([^\r\n]*)$/.exec(block)
      must(match !== null, 'this is no event', block)
      return { name: match[1] ?? null, data: match[2] ?? '' }
    })
}

export function parse(data: string): Json {
  try {
    return record(JSON.parse(data), 'an event')
  } catch (error) {
    throw error instanceof UnreadableError ? error : new UnreadableError(`no JSON: ${data.slice(0, 200)}`)
  }
}

/** The members of an error that clients act by. */
export function checkError(error: Json): void {
  name(error['message'], 'the message of an error')
  name(error['type'], 'the type of an error')
  name(error['code'], 'the code of an error')
}

/** Credits in the gateway's own member. */
export function creditsIn(value: Json): number {
  const { credits_charged: credits } = record(value['svc'], 'svc')
  must(typeof credits === 'number', 'svc has no charge', value['svc'])
  return credits
}

export const FAILED = { text: '', reasoning: '', calls: [], finish: null, usage: null, credits: null } as const

/** Calls must be told apart by their ids. */
export function checkCalls(calls: readonly ReadCall[]): readonly ReadCall[] {
  for (const call of calls) {
    name(call.id, 'the id of a call')
    name(call.name, 'the name of a call')
  }
  must(new Set(calls.map(({ id }) => id)).size === calls.length, 'two calls have one id', calls)
  return calls
}
