/** What the typed client takes and gives: the types of each row's input, answer and events. */
import type { z } from 'zod'
import type { CallableEndpoint } from './endpoints/endpoint.ts'
import type { endpoints } from './endpoints.ts'
import type { Exact } from './money-schema.ts'

/** A request as the client sends it. */
export interface FetchRequest {
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | FormData
  readonly signal: AbortSignal
}

/** As much of an answer as the client reads. */
export interface FetchResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  readonly text: () => Promise<string>
  /** Null where there is none. */
  readonly body: { readonly getReader: () => FetchReader } | null
}

export interface FetchReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** The part of `fetch` that the client needs, so that a program can bring a transport of its own. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>

/** What is reported before a call is tried again. */
export interface Retry {
  /** Why the attempt before failed. */
  readonly error: Error
  readonly waitMs: number
}

export interface ClientOptions {
  /** Ends in `/api`; a slash after it does no harm. */
  readonly baseUrl: string
  /** Raw API key; not needed for public endpoints. */
  readonly key?: string
  readonly fetch?: Fetch
  /** Retries of a call that can be repeated, not counting the first attempt. */
  readonly retriesMax?: number
  /** Called before each wait. */
  readonly onRetry?: (retry: Retry) => void
  /** Longest time for one attempt of a call that does not stream. */
  readonly timeoutMs?: number
  /** Longest silence inside a stream. The gateway sends a sign of life every 15 s. */
  readonly idleTimeoutMs?: number
  /** Waits between attempts, and ends early when the signal fires; for tests. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  /** Called with each answer once its headers are there: also with those that fail, and for every attempt. */
  readonly onResponse?: (response: Pick<FetchResponse, 'status' | 'headers'>) => void
}

type InputPart<Row extends CallableEndpoint, Part extends 'path' | 'query' | 'body' | 'form'> = Row['request'] extends {
  readonly [Key in Part]: infer Schema extends z.ZodObject
}
  ? Part extends 'query'
    ? { readonly query?: z.input<Schema> }
    : { readonly [Key in Part]: z.input<Schema> }
  : unknown

type HasPart<Row extends CallableEndpoint, Part extends 'body' | 'form'> = Row['request'] extends {
  readonly [Key in Part]: z.ZodObject
}
  ? true
  : false

/** Of a body and a form one is sent where the row takes both. */
type ContentPart<Row extends CallableEndpoint> =
  HasPart<Row, 'body'> extends true
    ? HasPart<Row, 'form'> extends true
      ? InputPart<Row, 'body'> | InputPart<Row, 'form'>
      : InputPart<Row, 'body'>
    : InputPart<Row, 'form'>

/** What a call of a row takes: its path parameters, query, and body or form, each as the row's schema says. */
export type InputOf<Row extends CallableEndpoint> = InputPart<Row, 'path'> & InputPart<Row, 'query'> & ContentPart<Row>

/** What a call of a row returns. A row that answers bytes alone cannot be called for JSON. */
export type ReplyOf<Row extends CallableEndpoint> = Row['reply'] extends {
  readonly json: infer Schema extends z.ZodType
}
  ? Exact<z.output<Schema>>
  : never

/** One event of a row that streams. */
export type EventOf<Row extends CallableEndpoint> = Row['reply'] extends {
  readonly event: infer Schema extends z.ZodType
}
  ? Exact<z.output<Schema>>
  : never

export type Arguments<Row extends CallableEndpoint> =
  Record<never, never> extends InputOf<Row>
    ? [input?: InputOf<Row>, options?: CallOptions]
    : [input: InputOf<Row>, options?: CallOptions]

export type StreamingEndpoint = Extract<
  (typeof endpoints)[keyof typeof endpoints],
  { readonly reply: { readonly event: z.ZodType } }
>

export interface Client {
  /**
   * Calls an endpoint. What can be repeated without harm is tried again as the OpenAI clients do: GETs, and paid
   * requests, each under an Idempotency-Key of its own so that nothing is charged twice.
   * @throws {ApiError} when the gateway answers with a failure.
   * @throws {ConnectionError} when it cannot be reached, breaks off, or takes longer than the limit.
   * @throws {TypeError} at once, for a path parameter that is no text or is empty, as all three of these do.
   */
  call<Row extends CallableEndpoint>(endpoint: Row, ...rest: Arguments<Row>): Promise<ReplyOf<Row>>
  /**
   * Calls an endpoint that streams, and yields its events; the last carries `svc`. Leaving the loop ends the request.
   * It is tried again as a call is, until its answer has begun.
   * @throws {ApiError} when the gateway answers with a failure, or sends one in mid-stream.
   * @throws {ConnectionError} when it cannot be reached, or the stream breaks off before its end.
   */
  stream<Row extends StreamingEndpoint>(
    endpoint: Row,
    input: InputOf<Row>,
    options?: CallOptions,
  ): AsyncGenerator<EventOf<Row>, void, undefined>
  /**
   * Calls an endpoint that answers bytes; resolves once they begin. The idle limit of streams holds while they come.
   * @throws {ApiError} when the gateway answers with a failure.
   * @throws {ConnectionError} when it cannot be reached; reading throws it when the answer breaks off.
   */
  open<Row extends CallableEndpoint>(endpoint: Row, input: InputOf<Row>, options?: CallOptions): Promise<BytesReply>
}

/** An answer that is no JSON: audio, a video, subtitles. */
export interface BytesReply {
  /** Media type, without its parameters. */
  readonly contentType: string
  readonly headers: Pick<Headers, 'get'>
  /** Bytes in all; null when the gateway does not know yet. */
  readonly length: number | null
  /** The answer as it comes. To be read to its end, or left by leaving the loop. */
  readonly bytes: AsyncIterable<Uint8Array>
}
