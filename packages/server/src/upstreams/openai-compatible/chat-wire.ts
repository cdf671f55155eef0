/**
 * How one API writes what OpenAI's chat completions say. An upstream that speaks an API of its own is served by the
 * same adapter as the others: its wire makes their shape of what it sends, so that usage, errors, ends and cuts are
 * read in one place.
 */
import type { UpstreamChatRequest } from '../chat-upstream.ts'

/** The upstream has said that its stream is whole. */
export const DONE = Symbol('done')

/** Chunks in OpenAI's shape, or the word that all of them have come. */
export type WireFrames = readonly (Record<string, unknown> | typeof DONE)[]

export interface ChatWire {
  /**
   * @returns the path below the base URL, and the body.
   * @throws {ServiceError} 400 for what this API cannot do.
   */
  write(request: UpstreamChatRequest): { readonly path: string; readonly body: Buffer }
  /** How the API counts a prompt; null where it cannot. */
  readonly count: {
    /** @throws {ServiceError} as `write`. */
    write(request: UpstreamChatRequest): { readonly path: string; readonly body: Buffer }
    /** The field of the answer that has the number. */
    readonly field: string
  } | null
  /** An answer or an error page in OpenAI's shape; undefined when it is no JSON. */
  readAnswer(text: Buffer): unknown
  /**
   * Reads the events of one stream, in their order.
   * @returns a function from the data of an event to chunks, which throws when that is no JSON.
   */
  openEvents(): (data: string) => WireFrames
}
