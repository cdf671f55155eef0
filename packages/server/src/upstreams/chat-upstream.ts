/**
 * The port to an upstream that answers chat requests. Adapters translate between its wire and ours; no caller knows
 * which one serves. Every failure leaves an adapter as a `ServiceError` whose text is safe to show.
 */
import type { JsonBody } from '../platform/json/json-body.ts'
import type { MadeMedia } from '../pricing/charge-chat.ts'
import type { AttoUsd, ChatUsage, LateCost } from '../pricing/price.ts'

export interface UpstreamChatRequest {
  /** The client's JSON body as it came, and where its top-level values are. */
  readonly body: JsonBody
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  readonly stream: boolean
  /**
   * Whether its one message is a text to go on with: an upstream that completes texts itself gets it as that.
   * Absent: it is not.
   */
  readonly completesText?: boolean
  /** A limit that the gateway imposes on the output tokens; null leaves the client's own. */
  readonly maxTokens: number | null
  /**
   * The most output tokens that the hold covers, for an API that wants a limit on every request. Absent: not known.
   */
  readonly outputTokens?: number
  /** Whether the model is listed as one that reads files itself. Absent: it is not known. */
  readonly readsFiles?: boolean
  readonly confidential: boolean
  /** Ends the work: the caller has gone, the key was revoked, or the gateway stops. */
  readonly signal: AbortSignal
  /** W3C `traceparent` for an upstream that shall know the trace; absent tells it nothing. */
  readonly traceparent?: string
}

/** Usage and cost as the upstream reported them; null where it did not. */
export interface ReportedUsage {
  readonly usage: ChatUsage | null
  /** The side that the usage does not count: its number there is what is known of it. Absent: it counts both. */
  readonly lacks?: 'prompt' | 'output' | undefined
  readonly cost: AttoUsd | null
  /** Whether output or a higher count came after the cost, which is then no more than the least. Absent: none did. */
  readonly isCostPartial?: boolean
  /** Whether the usage is of all that was made, whatever came of it. Absent: of what came before it. */
  readonly isWholeUsage?: boolean
  /** The upstream's usage object, cleaned for the client. */
  readonly wire: Readonly<Record<string, unknown>> | null
}

/** One whole answer. */
export interface UpstreamCompletion extends ReportedUsage {
  /**
   * OpenAI's shape with the upstream's own extras removed; `id`, `model` and `usage` are set by the caller of the port.
   */
  readonly completion: Readonly<Record<string, unknown>>
  readonly generationId: string | null
  /** What the upstream calls the model that answered; null where it does not say. For traces alone. */
  readonly model: string | null
  /** No text, refusal, tool call, audio or image in any choice. */
  readonly empty: boolean
  readonly hasReasoning: boolean
  /** Of all choices. */
  readonly finishReasons: readonly string[]
  /** Text made, in UTF-8 bytes: the base of an estimate when no usage was reported. */
  readonly outputBytes: number
  /** Those of them that the usage counts. */
  readonly outputBytesAtUsage: number
  /** What was made beside the text; absent: nothing. */
  readonly media?: MadeMedia
}

/** What a stream delivers, in order. Frames are OpenAI chunks with at least one choice. */
export interface ChatStreamSink {
  /**
   * One chunk with choices: its members as JSON text, without the braces around them.
   * @returns false when the reader is full: the adapter pauses until `resume` is called.
   */
  chunk(members: string, facts: ChunkFacts): boolean
  /**
   * The upstream's stream is over: cleanly, by an error frame, or by a cut. Called exactly once, and nothing after it.
   */
  end(outcome: ChatStreamOutcome): void
}

export interface ChunkFacts extends MadeMedia {
  /** UTF-8 bytes of text, reasoning and tool arguments in this chunk. */
  readonly outputBytes: number
  /**
   * Whether the chunk carries something that a caller would miss: text, refusal, tool call, audio, image, reasoning.
   */
  readonly hasContent: boolean
  readonly isReasoning: boolean
  /** Whether the chunk calls a tool. */
  readonly hasCalls: boolean
  /** Null until a choice ends. */
  readonly finishReason: string | null
}

export interface ChatStreamOutcome extends ReportedUsage {
  /** Null for a clean end: a finish reason was seen, or `[DONE]` after content. */
  readonly error: Error | null
  /** True when the connection broke without a verdict; false when the upstream itself said that it failed. */
  readonly cut: boolean
  readonly generationId: string | null
  /** UTF-8 bytes of output that had come when output was last counted; what came later is not in it. */
  readonly outputBytesAtUsage: number
  /** Whether the usage is of all of the answer, as far as it came: then it is a bill, also of an answer that failed. */
  readonly isCounted: boolean
  /** As in a whole answer. */
  readonly model: string | null
}

/** A stream that runs. Pausing stops reading from the socket, so the upstream feels the slow reader. */
export interface ChatStream {
  /** The upstream's own id of this generation, to look its cost up by; null where it gives none, or none yet. */
  generationId(): string | null
  pause(): void
  resume(): void
  /** Stops the upstream now. The sink's `end` still comes, with what was known. */
  stop(): void
}

export interface ChatUpstream {
  /** The configured name, for records and metrics. */
  readonly name: string
  /** Whether `n` above 1 is honoured. */
  readonly supportsChoices: boolean
  /** Whether a model fills in the text between a prompt and a suffix. */
  takesSuffix(upstreamModel: string): boolean
  /** @throws {ServiceError} when the upstream fails, refuses, is silent for too long, or answers nonsense. */
  complete(request: UpstreamChatRequest): Promise<UpstreamCompletion>
  /**
   * Starts a stream; resolves once the upstream has answered 200 with an event stream.
   * @throws {ServiceError} when it fails before that.
   */
  stream(request: UpstreamChatRequest, sink: ChatStreamSink): Promise<ChatStream>
  /**
   * Counts the tokens of a prompt, which costs nothing; resolves to null where the answer is no number. Null where the
   * upstream cannot count.
   */
  readonly countPrompt: ((request: UpstreamChatRequest) => Promise<number | null>) | null
  /** What a generation cost in the end; null when this upstream cannot tell (yet). */
  findCost(generationId: string): Promise<LateCost | null>
  /** The upstream's own list of models as it came, for the catalog to read; null when it has none. */
  listModels(): Promise<unknown>
  close(): Promise<void>
}
