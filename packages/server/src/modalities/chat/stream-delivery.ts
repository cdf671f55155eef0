/**
 * The delivery of one stream: chunks come in from the upstream, frames go out to the client, until one of the two, the
 * key or the credits end it. It knows nothing of prices.
 *
 * The 200 waits for the first content, so that an early failure still gets its true status. The chunk that finishes the
 * answer is kept back until the charge is durable, because it carries the charge.
 */
import type { OpenHold } from '../../money/billing/open-hold.ts'
import { CancelledBeforeOutput } from '../../pipeline/cancelled-before-output.ts'
import { EventSink } from '../../pipeline/event-sink.ts'
import type { FrameWriter, StreamEnd, StreamReader } from '../../pipeline/frame-writer.ts'
import type { Sink } from '../../pipeline/paid-work.ts'
import type { ChatStream, ChatStreamOutcome, ChatStreamSink, ChunkFacts } from '../../upstreams/chat-upstream.ts'
import type { ChatCall } from './parse-chat.ts'
import { createdOf } from './chat-work.ts'
import { DONE_FRAME, renderChunk, renderHead, renderUsageChunk } from '../../pipeline/stream-frames.ts'
import { StreamHold } from './stream-hold.ts'
import type { Interruption } from './stream-verdict.ts'
import { wantsUsage } from './wants-usage.ts'

/** How long an upstream may still send its usage after the client has gone, in milliseconds. Source: decision 0008. */
const DRAIN_MS = 5_000

/**
 * Frames without content that are kept until the 200, in characters: more than that, and the 200 goes out. Source: own
 * choice.
 */
const EARLY_MAX = 64 * 1024

/** A finish reason in a chunk's JSON: within a text its quotes would be escaped. */
const FINISH = /"finish_reason":"[a-z_]+"/g
const NO_FINISH = '"finish_reason":null'

/** What is sent last, once it is charged. `svc` is JSON text. */
export interface StreamTotals {
  readonly svc: string
  readonly usage: Readonly<Record<string, unknown>>
}

/** A stream's hold, and how many choices it has. */
export interface HeldStream {
  readonly hold: OpenHold
  readonly choices: number
}

/** The client's side of one streamed chat. */
export class StreamDelivery extends EventSink implements Sink<StreamTotals, StreamEnd> {
  readonly #firstContentMs: number
  readonly #held: HeldStream
  readonly #head: string
  readonly #withUsage: boolean
  readonly #carriesMedia: boolean
  readonly #hold: StreamHold
  readonly #upstreamSignal = new AbortController()
  #stream: ChatStream | null = null
  /** Frames before the first content. */
  #early = ''
  /** Members of the chunk with the finish reason, waiting for the charge. */
  #last: string | null = null
  #drain: NodeJS.Timeout | undefined
  #waitsForHold = false
  #waitsForReader = false
  outputBytes = 0
  audioBytes = 0
  images = 0
  hasContent = false
  hasReasoning = false
  #hasCalls = false
  readonly finishReasons: string[] = []
  interruption: Interruption | null = null
  /** What the client reads about the interruption; null when nothing is. */
  interruptionError: Error | null = null

  constructor(deps: { readonly firstContentMs: number }, held: HeldStream, call: ChatCall, reader: StreamReader) {
    super(reader)
    this.#firstContentMs = deps.firstContentMs
    this.#held = held
    this.#withUsage = wantsUsage(call)
    this.#carriesMedia = call.carriesMedia
    this.#head = renderHead({
      id: `chatcmpl-${held.hold.id}`,
      created: createdOf(held.hold),
      model: call.request.model,
      withUsage: this.#withUsage,
    })
    this.#hold = new StreamHold(held.hold, held.choices, (error) => this.#holdChanged(error))
  }

  /** Whether nothing was delivered and the client still waits, so that another upstream may take the stream's place. */
  override get mayBeginAnew(): boolean {
    return !this.isOpen && this.interruption === null && !this.hasContent && !this.hasReasoning
  }

  /** Whether the client left before the first content. */
  get wasCancelledBeforeOutput(): boolean {
    return this.interruption === 'client_gone' && !this.hasContent && !this.hasReasoning
  }

  /** Whether every choice that was asked for has its finish reason: then nothing but usage can be missing. */
  get #haveAllEnded(): boolean {
    return this.finishReasons.length >= this.#held.choices
  }

  /** Forgets what came before the first content of an attempt that failed. */
  #beginAnew(): void {
    this.#stream = null
    this.#early = ''
    this.#last = null
    this.finishReasons.length = 0
    this.outputBytes = this.audioBytes = this.images = 0
  }

  /**
   * Starts the upstream's stream and waits for its end, however it comes.
   *
   * @throws {CancelledBeforeOutput} when the client leaves before the upstream's stream begins.
   * @throws {ServiceError} when the upstream fails before its stream begins.
   */
  async run(start: (sink: ChatStreamSink, signal: AbortSignal) => Promise<ChatStream>): Promise<ChatStreamOutcome> {
    const { promise: over, resolve } = Promise.withResolvers<ChatStreamOutcome>()
    const { signal: ended } = this.#held.hold.ended
    const { gone } = this.reader
    const onEnded = (): void => this.#interrupt('ended', ended.reason as Error)
    const onGone = (): void => this.#clientGone()
    this.#beginAnew()
    const waitedMs = this.#held.hold.ageMs
    const firstContent = setTimeout(() => this.open(), Math.max(0, this.#firstContentMs - waitedMs))
    ended.addEventListener('abort', onEnded)
    gone.addEventListener('abort', onGone)
    try {
      if (ended.aborted) onEnded()
      if (gone.aborted) onGone()
      const sink: ChatStreamSink = { chunk: (members, facts) => this.#chunk(members, facts), end: resolve }
      this.#stream = await start(sink, this.#upstreamSignal.signal)
      if (this.interruption !== null && !this.#haveAllEnded) this.#stream.stop()
      return await over
    } catch (error) {
      throw this.wasCancelledBeforeOutput ? new CancelledBeforeOutput(error) : error
    } finally {
      clearTimeout(firstContent)
      clearTimeout(this.#drain)
      this.#hold.close()
      ended.removeEventListener('abort', onEnded)
      gone.removeEventListener('abort', onGone)
    }
  }

  /** Sends the last frames of an answer that was charged. */
  finish({ svc, usage }: StreamTotals): StreamEnd {
    const writer = this.open()
    if (this.#withUsage) {
      const last = this.#last ?? (this.finishReasons.length === 0 ? this.#madeLast() : null)
      const finish = last === null ? '' : renderChunk(this.#head, last, null)
      writer.end(`${finish}${renderUsageChunk(this.#head, usage, svc)}${DONE_FRAME}`)
    } else writer.end(`${renderChunk(this.#head, this.#last ?? this.#madeLast(), svc)}${DONE_FRAME}`)
    return this.interruption === 'client_gone' && !this.#haveAllEnded ? 'cut' : 'whole'
  }

  /** What the answer said goes out before an error, and not that it had ended: some clients read no further. */
  protected override keptBack(): string {
    return this.#last === null ? '' : renderChunk(this.#head, this.#last.replaceAll(FINISH, NO_FINISH), null)
  }

  /**
   * The end of an answer whose upstream gave no finish reason, that the gateway had to cut, or that went on after its
   * finish.
   */
  #madeLast(): string {
    const made = this.interruption === 'out_of_credits' ? 'length' : this.#hasCalls ? 'tool_calls' : 'stop'
    const reason = this.finishReasons.length === 0 ? made : null
    return `"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":${JSON.stringify(reason)}}]`
  }

  #chunk(members: string, facts: ChunkFacts): boolean {
    // What the upstream had sent already when the stream was ended is neither delivered nor charged.
    if (this.interruption !== null) return true
    this.outputBytes += facts.outputBytes
    this.audioBytes += facts.audioBytes
    this.images += facts.images
    this.hasContent ||= facts.hasContent && (this.#carriesMedia || facts.outputBytes > 0)
    this.hasReasoning ||= facts.isReasoning
    this.#hasCalls ||= facts.hasCalls
    if (facts.hasContent || facts.isReasoning) this.#held.hold.noteFirstContent()
    let text = this.#last === null ? '' : renderChunk(this.#head, this.#last, null)
    this.#last = null
    if (facts.finishReason !== null) {
      this.finishReasons.push(facts.finishReason)
      this.#last = members
    } else text += renderChunk(this.#head, members, null)
    this.#waitsForReader = !this.#send(text)
    this.#checkHold()
    return !this.#waitsForHold && !this.#waitsForReader
  }

  #send(text: string): boolean {
    if (text === '') return true
    if (this.isOpen) return this.open().write(text)
    this.#early += text
    if (this.hasContent || this.hasReasoning || this.#early.length > EARLY_MAX) this.open()
    return true
  }

  protected override opened(writer: FrameWriter): void {
    writer.onDrain(() => {
      this.#waitsForReader = false
      this.#resume()
    })
    if (this.#early !== '') writer.write(this.#early)
    this.#early = ''
  }

  #resume(): void {
    if (!this.#waitsForHold && !this.#waitsForReader) this.#stream?.resume()
  }

  #checkHold(): void {
    const state = this.#hold.check(this.outputBytes)
    this.#waitsForHold = state === 'wait'
    if (state === 'exhausted' && !this.#haveAllEnded) this.#interrupt('out_of_credits', null)
  }

  #holdChanged(error: unknown): void {
    if (error instanceof Error) return this.#interrupt('ended', error)
    this.#checkHold()
    this.#resume()
  }

  #clientGone(): void {
    if (!this.#haveAllEnded) return this.#interrupt('client_gone', null)
    // The answer is whole; only its usage is missing, and the upstream is about to send it.
    this.#waitsForReader = false
    this.#resume()
    this.#drain = setTimeout(() => this.#interrupt('client_gone', null), DRAIN_MS)
  }

  #interrupt(interruption: Interruption, error: Error | null): void {
    if (this.interruption !== null) return
    this.interruption = interruption
    this.interruptionError = error
    if (this.#stream === null) this.#upstreamSignal.abort(error ?? new Error('The client has gone'))
    else this.#stream.stop()
  }
}
