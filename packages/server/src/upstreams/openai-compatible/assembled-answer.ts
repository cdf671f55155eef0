/** A whole answer made of the chunks of a stream, for servers that send events to clients that asked for none. */
import { recordOf, recordsOf } from './json-records.ts'
import { OpenCalls } from './open-calls.ts'

type Json = Record<string, unknown>

/** Text that comes in pieces: joined once, at the end. */
class Pieces {
  readonly #pieces: string[] = []

  add(piece: string): void {
    this.#pieces.push(piece)
  }

  text(): string {
    return this.#pieces.join('')
  }

  /** Each piece is base64 of its own, with its own padding. */
  bytes(): string {
    return Buffer.concat(this.#pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64')
  }
}

/** Adds the members of a piece to what came before: texts under the given names grow, the last of all others counts. */
function grow(made: Json, piece: Json, growing: readonly string[]): void {
  for (const [key, value] of Object.entries(piece)) {
    if (value === null && made[key] !== undefined) continue
    const before = made[key]
    const isPiece = growing.includes(key) && typeof value === 'string'
    made[key] = isPiece && typeof before === 'string' ? before + value : value
  }
}

class AssembledCall {
  readonly made: Json = {}
  readonly #arguments = new Pieces()

  add({ index: _index, function: named, ...call }: Json): void {
    grow(this.made, call, [])
    const { arguments: text, ...rest } = recordOf(named)
    if (typeof text === 'string') this.#arguments.add(text)
    const called = { ...recordOf(this.made['function']) }
    // Some servers repeat the name with each piece; none cuts it.
    grow(called, rest, [])
    this.made['function'] = called
  }

  whole(): Json {
    return { ...this.made, function: { ...recordOf(this.made['function']), arguments: this.#arguments.text() } }
  }
}

const TEXTS = ['content', 'refusal', 'reasoning_content'] as const
const LISTS = ['annotations', 'images'] as const
const THOUGHTS = ['text', 'summary', 'data'] as const

/** One choice as far as it has come. */
class AssembledChoice {
  readonly #texts = new Map<string, Pieces>()
  readonly #lists = new Map<string, Json[]>()
  readonly #calls: AssembledCall[] = []
  readonly #openCalls = new OpenCalls<AssembledCall>()
  readonly #thoughts: Json[] = []
  readonly #audio = { data: new Pieces(), transcript: new Pieces(), rest: null as Json | null }
  readonly #logprobs: Record<string, unknown[]> = {}
  readonly #rest: Json = {}
  #finishReason: unknown = null
  #stop: Json = {}

  add({ delta, logprobs, finish_reason: reason, stop_reason: stop }: Json): void {
    this.#finishReason = reason ?? this.#finishReason
    if (stop !== undefined) this.#stop = { stop_reason: stop }
    for (const [kind, tokens] of Object.entries(recordOf(logprobs))) {
      if (Array.isArray(tokens)) for (const token of tokens) (this.#logprobs[kind] ??= []).push(token)
    }
    for (const [key, value] of Object.entries(recordOf(delta))) this.#say(key, value)
  }

  #say(key: string, value: unknown): void {
    if ((TEXTS as readonly string[]).includes(key)) {
      if (typeof value === 'string') into(this.#texts, key, () => new Pieces()).add(value)
    } else if ((LISTS as readonly string[]).includes(key)) {
      for (const item of recordsOf(value)) into(this.#lists, key, () => []).push(item)
    } else if (key === 'tool_calls') {
      for (const piece of recordsOf(value)) this.#openCalls.take(piece, () => this.#begin()).add(piece)
    } else if (key === 'reasoning_details') {
      for (const thought of recordsOf(value)) this.#think(thought)
    } else if (key === 'audio' && value !== null) this.#sing(recordOf(value))
    else if (key === 'function_call' && value !== null) {
      const called = { ...recordOf(this.#rest[key]) }
      grow(called, recordOf(value), ['arguments'])
      this.#rest[key] = called
    } else grow(this.#rest, { [key]: value }, [])
  }

  #begin(): AssembledCall {
    const call = new AssembledCall()
    this.#calls.push(call)
    return call
  }

  /** Pieces of one thought follow each other, and have its number and kind. */
  #think(thought: Json): void {
    const last = this.#thoughts.at(-1)
    const isMore = last !== undefined && last['type'] === thought['type'] && last['index'] === thought['index']
    if (isMore && thought['type'] !== 'reasoning.encrypted') grow(last, thought, THOUGHTS)
    else this.#thoughts.push({ ...thought })
  }

  #sing({ data, transcript, ...rest }: Json): void {
    if (typeof data === 'string') this.#audio.data.add(data)
    if (typeof transcript === 'string') this.#audio.transcript.add(transcript)
    this.#audio.rest ??= {}
    grow(this.#audio.rest, rest, [])
  }

  whole(index: number): Json {
    const { data, transcript, rest } = this.#audio
    const message: Json = { ...this.#rest }
    for (const [key, pieces] of this.#texts) message[key] = pieces.text()
    for (const [key, items] of this.#lists) message[key] = items
    const says = this.#calls.length > 0 || rest !== null || message['refusal'] !== undefined
    if (message['content'] === '' && says) message['content'] = null
    if (this.#thoughts.length > 0) message['reasoning_details'] = this.#thoughts
    if (this.#calls.length > 0) message['tool_calls'] = this.#calls.map((call) => call.whole())
    if (rest !== null) message['audio'] = { ...rest, data: data.bytes(), transcript: transcript.text() }
    const logprobs = Object.keys(this.#logprobs).length === 0 ? null : this.#logprobs
    return { index, message, logprobs, finish_reason: this.#finishReason, ...this.#stop }
  }
}

function into<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make()
  map.set(key, value)
  return value
}

/** Puts chunks together. One for each answer. */
export class AssembledAnswer {
  readonly #choices = new Map<number, AssembledChoice>()
  readonly #rest: Json = {}

  /** @param members of a chunk, as JSON text without the braces around them. */
  add(members: string): void {
    const { choices, ...rest } = JSON.parse(`{${members}}`) as Json
    grow(this.#rest, rest, [])
    for (const choice of recordsOf(choices)) {
      const index = Number(choice['index'])
      const made = this.#choices.get(index) ?? new AssembledChoice()
      this.#choices.set(index, made)
      made.add(choice)
    }
  }

  /** The answer in the form of a chat completion, without usage. */
  whole(): Json {
    const choices = [...this.#choices].toSorted(([one], [other]) => one - other)
    return { ...this.#rest, choices: choices.map(([index, choice]) => choice.whole(index)) }
  }
}
