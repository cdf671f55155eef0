/** Reads a chat stream of an OpenAI-shaped upstream and hands a sink what it holds. */
import type { ServiceError } from '../../platform/errors/service-error.ts'
import { textStart } from '../../platform/json/json-body.ts'
import { parseAnswerJson, parseJsonText } from '../../platform/json/parse-json.ts'
import type { ChatStreamSink, ReportedUsage } from '../chat-upstream.ts'
import { SseDecoder } from '../sse-decoder.ts'
import { AnswerEnd } from '../answer-end.ts'
import { transportFailure, type UpstreamFailure, upstreamFailure } from '../upstream-failure.ts'
import { DONE, type WireFrames } from './chat-wire.ts'
import { ChunkTemplates, type ReadChunk } from './chunk-template.ts'
import { cleanChunk, membersOf } from './clean-chunk.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, failedChoice, findError, isComplaint } from './errors.ts'
import { isObject, NO_USAGE, readGenerationId, readModel, readUsage } from './usage.ts'
import { chunksOfWhole } from './whole-chunks.ts'

type Json = Record<string, unknown>

function isBlank(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Whether a delta says nothing beside who speaks. */
function isBare(delta: Json): boolean {
  return Object.entries(delta).every(([key, value]) => key === 'role' || isBlank(value))
}

interface ReaderOptions {
  readonly upstream: string
  /** Our key at the upstream. */
  readonly apiKey: string | null
  readonly generationId: string | null
  readonly dialect: Pick<Dialect, 'reportsCost' | 'generationId' | 'failuresAreFree'>
  /** Makes chunks of what another API says in its events; null for events that are chunks. */
  readonly readFrames: ((data: string) => WireFrames) | null
  /** How many choices were asked for. */
  readonly choices: number
  /** Called when the answer is over although its stream is open: nothing more of it is wanted. */
  readonly onOver: () => void
}

/** How an upstream says that its stream is over. Some write blanks around it. */
const OVER = /^\s*\[DONE\]\s*$/i

function readOwnFrames(data: string): WireFrames {
  if (OVER.test(data)) return [DONE]
  const value = parseAnswerJson(data)
  return isObject(value) ? [value] : []
}

/** What an event that calls itself an error says, as the body of one. */
function readErrorEvent(data: string): Json {
  const value = parseJsonText(Buffer.from(data))
  if (!isObject(value)) return { error: data }
  return findError(value) === null ? { error: value } : value
}

/** The reading side of one stream: bytes in, chunks and one end out. */
export class ChatStreamReader {
  readonly #sink: ChatStreamSink
  readonly #options: ReaderOptions
  readonly #decoder: SseDecoder
  readonly #templates = new ChunkTemplates()
  #reported: ReportedUsage = NO_USAGE
  #outputBytes = 0
  #outputBytesAtUsage = 0
  #model: string | null = null
  #generationId: string | null
  /** Choices that have begun, and those of them that have ended. */
  readonly #begun = new Set<number>()
  readonly #finished = new Set<number>()
  /** Whether usage has come, and no output since. */
  #isCounted = false
  readonly #answerEnd: AnswerEnd
  #sawDone = false
  #ended = false
  /** Set when the sink is full; the owner of the socket looks at it after each read. */
  wantsPause = false

  constructor(sink: ChatStreamSink, options: ReaderOptions) {
    this.#sink = sink
    this.#options = options
    this.#generationId = options.generationId
    this.#decoder = new SseDecoder((data, name) => this.#event(data, name))
    this.#answerEnd = new AnswerEnd(() => {
      this.#end(null, false)
      options.onOver()
    })
  }

  /** Of several choices one may end long before another. */
  get #haveAllEnded(): boolean {
    return this.#finished.size > 0 && this.#finished.size === this.#begun.size
  }

  /** Whether nothing but usage can be missing. A choice that was asked for may begin after the others have ended. */
  get #isWhole(): boolean {
    return this.#haveAllEnded && (this.#isCounted || this.#finished.size >= this.#options.choices)
  }

  /** As far as it was reported by now. */
  get generationId(): string | null {
    return this.#generationId
  }

  get ended(): boolean {
    return this.#ended
  }

  get sawDone(): boolean {
    return this.#sawDone
  }

  data(chunk: Buffer): void {
    try {
      this.#decoder.push(chunk)
    } catch (error) {
      this.#cut(upstreamFailure('broken', { upstream: this.#options.upstream, cause: error }))
    }
  }

  /** A whole answer came in the place of a stream. @param text what `value` was parsed from. */
  whole(value: Json, text: Buffer): void {
    const source = text.toString('utf8', textStart(text))
    for (const chunk of chunksOfWhole(value)) if (!this.#ended) this.#frame(chunk, source)
    this.#sawDone = true
    this.#end(null, false)
  }

  /** Something that is no answer came in the place of a stream. */
  refuse(failure: UpstreamFailure): void {
    const { usage, cost } = failure
    this.#reported = { usage, cost, wire: null }
    this.#generationId ??= failure.generationId
    this.#end(failure, false)
  }

  /** The socket is not read for a while: a caller that waits for more from it waits in vain. */
  paused(): void {
    this.#answerEnd.clear()
  }

  /** The socket is read again. */
  resumed(): void {
    this.#awaitEnd()
  }

  /** The connection ended in order. Without a finish reason or `[DONE]` the answer is cut all the same. */
  close(): void {
    this.#decoder.end()
    const whole = this.#sawDone || this.#haveAllEnded
    this.#end(whole ? null : upstreamFailure('broken', { upstream: this.#options.upstream }), !whole)
  }

  /** The connection broke. */
  fail(error: Error): void {
    this.#cut(transportFailure(this.#options.upstream, error))
  }

  /** Something ended the stream that says nothing of the answer: where that is whole, nothing of it is missing. */
  #cut(error: ServiceError): void {
    const isWhole = this.#sawDone || this.#isWhole
    this.#end(isWhole ? null : error, !isWhole)
  }

  /** The upstream says that it failed. Of an answer that is whole and counted that is not true any more. */
  #refused(value: Json): void {
    this.#end(this.#isWhole && this.#isCounted ? null : this.#failure(value), false)
  }

  #awaitEnd(): void {
    if (this.#ended) return
    if (this.#isWhole) this.#answerEnd.whole()
    else this.#answerEnd.clear()
  }

  #event(data: string, name: string | null): void {
    if (this.#ended) return
    this.#read(data, name)
    if (this.#finished.size > 0) this.#awaitEnd()
  }

  #read(data: string, name: string | null): void {
    if (name === 'error' && this.#options.readFrames === null) return this.#frame(readErrorEvent(data), data)
    const alike = this.#options.readFrames === null ? this.#templates.read(data) : null
    if (alike !== null) return this.#deliver(alike)
    let frames: WireFrames
    try {
      frames = (this.#options.readFrames ?? readOwnFrames)(data)
    } catch (error) {
      return this.#cut(upstreamFailure('broken', { upstream: this.#options.upstream, cause: error }))
    }
    for (const frame of frames) {
      if (this.#ended) return
      if (frame === DONE) {
        this.#sawDone = true
        this.#end(null, false)
      } else this.#frame(frame, data)
    }
  }

  #frame(value: Json, data: string): void {
    this.#model ??= readModel(value)
    this.#generationId ??= readGenerationId(value, this.#options.dialect.generationId)
    const reported = readUsage(value, () => Buffer.from(data), this.#options.dialect)
    const cleaned = cleanChunk(value)
    if (reported !== null) {
      this.#reported = this.#merged(reported)
      this.#outputBytesAtUsage = this.#outputBytes + (cleaned?.facts.outputBytes ?? 0)
      this.#isCounted = true
    }
    if (findError(value) !== null) return this.#refused(value)
    if (cleaned === null) {
      if (reported === null && isComplaint(value)) this.#refused({ error: value })
      return
    }
    const failed = failedChoice(value)
    if (failed !== null) return this.#refused(failed)
    const { choices } = cleaned.chunk
    // Some upstreams repeat an empty choice beside their usage: the chunk that ended it stays its last.
    if (choices.every(({ index, delta }) => this.#finished.has(index) && isBare(delta))) return
    for (const { index, finish_reason } of choices) {
      this.#begun.add(index)
      if (typeof finish_reason === 'string') this.#finished.add(index)
    }
    if (reported === null && this.#options.readFrames === null) this.#templates.learnFrom(data, cleaned)
    this.#deliver({ members: membersOf(cleaned), facts: cleaned.facts })
  }

  #deliver({ members, facts }: ReadChunk): void {
    this.#outputBytes += facts.outputBytes
    if (this.#outputBytes > this.#outputBytesAtUsage) this.#isCounted = false
    if (!this.#sink.chunk(members, facts)) this.wantsPause = true
  }

  /** Each report is the whole until then, so the last counts. Counts and cost may come apart from each other. */
  #merged(reported: ReportedUsage): ReportedUsage {
    const { usage, cost, wire } = this.#reported
    if (reported.usage === null) return { usage, cost: reported.cost, wire }
    return { ...reported, cost: reported.cost ?? (usage === null ? cost : null) }
  }

  #failure(value: Json): ServiceError {
    const { upstream, apiKey, dialect } = this.#options
    const { failuresAreFree } = dialect
    return chatFailure({ upstream, apiKey, failuresAreFree, value, status: null, retryAfterSeconds: null })
  }

  #end(error: ServiceError | null, cut: boolean): void {
    if (this.#ended) return
    this.#ended = true
    this.#answerEnd.clear()
    const generationId = this.#generationId
    const outputBytesAtUsage = this.#outputBytesAtUsage
    this.#sink.end({ ...this.#reported, error, cut, generationId, outputBytesAtUsage, model: this.#model })
  }
}
