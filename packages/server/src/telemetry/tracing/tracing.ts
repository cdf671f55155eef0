/**
 * Room `tracing`: spans of OpenTelemetry as the rooms above see them. What belongs to a request is found by the flow of
 * execution, so that no use case carries a span around. Where tracing is off there is no `Tracing` at all, and nothing
 * of this runs.
 */

/** What a span says. Texts are ids, codes and names: never a prompt, an answer or a key. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

/** A span that runs. */
export interface RunningSpan {
  /** Adds facts. */
  tell(facts: SpanFacts): void
  /**
   * Ends it.
   * @param errorCode becomes `error.type`; null when nothing failed.
   */
  end(errorCode: string | null): void
  /** W3C `traceparent` for a server that is called below this span. */
  readonly traceparent: string
}

/** Headers as a request has them. */
export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface Tracing {
  /**
   * Starts the span of a request that came in, below the caller's own where its headers name one, and runs `proceed`
   * within it. Everything that is begun there, however late, is below this span.
   */
  serve(
    name: string,
    incoming: { readonly headers: IncomingHeaders; readonly facts: SpanFacts },
    proceed: () => void,
  ): RunningSpan
  /** Starts a span for a call to another server; null outside of a request. */
  call(name: string, facts: SpanFacts): RunningSpan | null
  /** Starts a span for a step of our own; null outside of a request. */
  step(name: string, facts: SpanFacts): RunningSpan | null
  /** Sends what is left and stops; takes no longer than a few seconds. */
  close(): Promise<void>
}
