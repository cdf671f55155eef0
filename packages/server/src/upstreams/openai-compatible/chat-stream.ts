/** Reads a chat stream of an OpenAI-shaped upstream and hands a sink what it holds. */
import type { ServiceError } from '../../platform/errors/service-error.ts'
import { textStart } from '../../platform/json/json-body.ts'
import type { ChatStreamSink, ReportedUsage } from '../chat-upstream.ts'
import { SseDecoder } from '../sse-decoder.ts'
import { AnswerEnd } from '../answer-end.ts'
import { transportFailure, type UpstreamFailure, upstreamFailure } from '../upstream-failure.ts'
import { extrasOf, hasExtras } from './answer-extras.ts'
import { DONE, type WireFrames } from './chat-wire.ts'
import { ChunkTemplates, type ReadChunk } from './chunk-template.ts'
import { cleanChunk, isBare, membersOf, StreamedChoices } from './clean-chunk.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, failedChoice, findError, isComplaint } from './errors.ts'
import { readErrorEvent, readOwnFrames } from './own-frames.ts'
import { withToolCall } from './function-call.ts'
import { reasoningNameIn, type ReasoningName } from './optional-parts.ts'
import { writeCalls } from './tool-calls.ts'
import { mergeReports, NO_USAGE, readGenerationId, readModel, readUsage } from './usage.ts'
import { chunksOfWhole } from './whole-chunks.ts'

type Json = Record<string, unknown>

interface ReaderOptions {
  readonly upstream: string
  /** Our key at the upstream. */
  readonly apiKey: string | null
  readonly generationId: string | null
  readonly dialect: Pick<Dialect, 'reportsCost' | 'generationId' | 'failuresAreFree'>
  /** Makes chunks of what another API says in its events; null for events that are chunks. */
  readonly readFrames: ((data: string) => WireFrames) | null
  /** Whether functions were offered in the old form, and no tools; absent: they were not. */
  readonly offersFunctions?: boolean
  /** How many choices were asked for. */
  readonly choices: number
  /** Stop sequences of the request; absent: none. */
  readonly stops?: readonly string[]
  /** Called once with the name under which the reasoning comes; absent: it is not remembered. */
  readonly onReasoning?: (name: ReasoningName) => void
  /** Called when the answer is over although its stream is open: nothing more of it is wanted. */
  readonly onOver: () => void
}

/** The reading side of one stream: bytes in, chunks and one end out. */
export class ChatStreamReader {
  readonly #sink: ChatStreamSink
  readonly #options: ReaderOptions
  readonly #decoder: SseDecoder
  readonly #templates = new ChunkTemplates()
  #reported: ReportedUsage = NO_USAGE
  #outputBytes = 0
  #outputBytesAtReport = 0
  #outputBytesAtUsage = 0
  /** When the cost was last reported: how much had come, and how many tokens were counted by then. */
  #atCost = { outputBytes: 0, tokens: Infinity }
  #model: string | null = null
  #generationId: string | null
  /** Choices that have begun, and those of them that have ended. */
  readonly #begun = new StreamedChoices()
  readonly #finished = new Set<number>()
  /** Whether usage has come, and no output since. */
  #isCounted = false
  /** Whether that usage counts an answer that had begun, and not the prompt alone. */
  #countsAnswer = false
  /** Whether the event that is read has brought a part of the answer. */
  #isNew = false
  #hasNews = false
  readonly #answerEnd: AnswerEnd
  #hasReasoning = false
  /** Names of the lists of sources and the like that chunks have brought. */
  readonly #extras = new Set<string>()
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

  /** Whether a part of the answer has come since this was last asked. */
  takeNews(): boolean {
    const hasNews = this.#hasNews
    this.#hasNews = false
    return hasNews
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

  /**
   * Something that is no answer came in the place of a stream. A failure whose cost can be looked up is not what the
   * upstream says itself.
   */
  refuse(failure: UpstreamFailure): void {
    const { usage, cost, generationId } = failure
    this.#reported = { usage, cost, wire: null }
    this.#countsAnswer = usage !== null
    this.#generationId ??= generationId
    this.#end(failure, generationId !== null)
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
    if (this.#isWhole) this.#answerEnd.whole(this.#isNew)
    else this.#answerEnd.clear()
  }

  #event(data: string, name: string | null): void {
    if (this.#ended) return
    this.#isNew = false
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

  #frame(frame: Json, data: string): void {
    writeCalls(frame, () => data)
    const value = this.#options.offersFunctions === true ? frame : withToolCall(frame)
    this.#model ??= readModel(value)
    this.#generationId ??= readGenerationId(value, this.#options.dialect.generationId)
    // Of several choices each may count its own alone.
    const counted = this.#options.choices > 1 ? { ...value, choices: null } : value
    const reported = readUsage(counted, () => Buffer.from(data), this.#options.dialect)
    const cleaned = cleanChunk(value, this.#options.stops)
    const failed = findError(value) === null ? failedChoice(value) : value
    // Some upstreams repeat an empty choice beside their usage: the chunk that ended it stays its last.
    const isRest =
      cleaned === null || cleaned.chunk.choices.every(({ index, delta }) => this.#finished.has(index) && isBare(delta))
    const complete = isRest || failed !== null ? cleaned : this.#begun.complete(cleaned)
    const bytes = this.#outputBytes + (complete?.facts.outputBytes ?? 0)
    if (reported !== null) this.#note(reported, bytes, failed !== null)
    if (failed !== null) return this.#refused(failed)
    if (cleaned?.facts.isReasoning === true && !this.#hasReasoning) {
      this.#hasReasoning = true
      this.#options.onReasoning?.(reasoningNameIn(value))
    }
    if (cleaned === null && reported === null && isComplaint(value)) return this.#refused({ error: value })
    if (isRest || complete === null) return this.#addExtras(value)
    if (hasExtras(value)) this.#noteExtras(value)
    for (const { index, finish_reason } of cleaned.chunk.choices)
      if (typeof finish_reason === 'string') this.#finished.add(index)
    if (reported === null && this.#options.readFrames === null) this.#templates.learnFrom(data, cleaned)
    this.#deliver({ members: membersOf(complete), facts: complete.facts })
  }

  /** What comes beside the usage at the end, and came with no chunk before, gets a chunk of its own. */
  #addExtras(value: Json): void {
    const added = Object.fromEntries(Object.entries(value).filter(([name]) => !this.#extras.has(name)))
    if (!hasExtras(added)) return
    this.#noteExtras(added)
    const empty = cleanChunk({ ...added, choices: [{ delta: {} }] })
    if (empty !== null) this.#deliver({ members: membersOf(empty), facts: empty.facts })
  }

  #noteExtras(value: Json): void {
    for (const name of Object.keys(extrasOf(value))) this.#extras.add(name)
  }

  #deliver({ members, facts }: ReadChunk): void {
    this.#outputBytes += facts.outputBytes
    if (this.#outputBytes > this.#outputBytesAtReport) this.#isCounted = this.#countsAnswer = false
    this.#isNew ||= facts.outputBytes > 0 || facts.hasContent || facts.isReasoning || facts.finishReason !== null
    this.#hasNews ||= this.#isNew
    if (!this.#sink.chunk(members, facts)) this.wantsPause = true
  }

  /** Counts and cost may come apart from each other. @param outputBytes with those that come with the report. */
  #note(reported: ReportedUsage, outputBytes: number, isOfFailure: boolean): void {
    const { usage, lacks, cost } = reported
    this.#reported = mergeReports(this.#reported, reported)
    this.#isCounted = true
    this.#outputBytesAtReport = outputBytes
    if (usage !== null && lacks !== 'output') {
      this.#outputBytesAtUsage = outputBytes
      this.#countsAnswer = outputBytes > 0 || this.#finished.size > 0
    }
    if (usage !== null) this.#countsAnswer ||= isOfFailure
    if (cost === null || cost !== this.#reported.cost) return
    this.#atCost = { outputBytes, tokens: usage === null ? Infinity : usage.promptTokens + usage.completionTokens }
  }

  /** Whether the answer went on, or was counted higher, after its cost was reported. */
  get #isCostPartial(): boolean {
    const { usage, cost } = this.#reported
    const counted = usage === null ? 0 : usage.promptTokens + usage.completionTokens
    return cost !== null && (this.#outputBytes > this.#atCost.outputBytes || counted > this.#atCost.tokens)
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
    const ended = { error, cut, generationId, outputBytesAtUsage, model: this.#model }
    const isCounted = this.#countsAnswer && !(error !== null && !cut && this.#options.dialect.failuresAreFree)
    this.#sink.end({ ...this.#reported, isCostPartial: this.#isCostPartial, isCounted, ...ended })
  }
}
