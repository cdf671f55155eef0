/**
 * Answers of public servers, as their documentation and public reports show them: written anew, with values of their
 * own. Each file names where its forms are from.
 */

/** What a client has to read. */
export interface Read {
  readonly text: string
  /** Empty by default. */
  readonly reasoning?: string
  /** Name and JSON text of each call; none by default. */
  readonly calls?: readonly (readonly [name: string, input: string])[]
  /** In the words of a chat; by default the usual one. */
  readonly finish?: string
}

interface Named {
  readonly name: string
}

/** An answer, in one or both ways; `tokens` are prompt, those of it that were cached, and completion. */
export interface GoodAnswer extends Named {
  /** The body of a whole answer. */
  readonly whole?: string
  /** The body of a stream, to its last byte. */
  readonly events?: string
  readonly reads: Read
  /** Null where the server counts nothing that can be charged. */
  readonly tokens: readonly [prompt: number, cached: number, completion: number] | null
  /** USD, where the server names the cost of the answer. */
  readonly cost?: string
}

/** A failure: a status with its body, or events that end in an error. */
export interface BadAnswer extends Named {
  readonly status?: number
  readonly whole?: string
  readonly events?: string
  /** The code that a client gets. */
  readonly code: string
}

export interface PublicServer {
  readonly server: string
  /** The adapter that speaks with it; OpenAI's form by default. */
  readonly kind?: 'anthropic' | 'gemini' | 'openai-compatible'
  /** Where its forms are documented or reported. */
  readonly source: string
  readonly answers: readonly GoodAnswer[]
  readonly failures: readonly BadAnswer[]
}

export const DONE = 'data: [DONE]\n\n'

/** Events with the JSON of each value; a text is an event's own bytes. */
export function eventsOf(...values: readonly (object | string)[]): string {
  return values.map((value) => (typeof value === 'string' ? value : `data: ${JSON.stringify(value)}\n\n`)).join('')
}

/** Events of an API whose events have names: each carries its own as its type. */
export function namedEventsOf(...values: readonly { readonly type: string }[]): string {
  return values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join('')
}

/** JSON as servers send it. */
export function json(value: object): string {
  return JSON.stringify(value)
}
