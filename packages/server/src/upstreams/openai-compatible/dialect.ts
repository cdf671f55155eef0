import type { UpstreamChatRequest } from '../chat-upstream.ts'

/** In what an OpenAI-shaped upstream differs from the others. Everything else is common. */
export interface Dialect {
  /** The one field for an output limit that this upstream is known to take; null where nothing is known or both are. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | null
  /** The text completions that it makes itself; absent or null: it answers chats alone. */
  readonly textCompletions?: TextCompletions | null
  /** Whether `n` above 1 is honoured; elsewhere it would be dropped in silence. */
  readonly supportsChoices: boolean
  /** Whether the upstream is known to report what each answer costs, so that a cost of zero means free. */
  readonly reportsCost: boolean
  /** Whether the upstream is known to bill nothing for a request of which it says itself that it failed. */
  readonly failuresAreFree: boolean
  /** Where the id is by which a cost is looked up; null where costs cannot be looked up. */
  readonly generationId: GenerationIdPlace | null
  /**
   * Top-level values to send beside the client's own, key → JSON text.
   * @throws {ServiceError} when this upstream cannot keep what the request demands, such as confidential compute.
   */
  extraMembers(request: UpstreamChatRequest): ReadonlyMap<string, string>
}

/** Where an answer names its generation. */
export interface GenerationIdPlace {
  readonly header: string
  /** What the `id` of the body looks like when it is that id: used where the header is missing. */
  readonly bodyForm: RegExp
}

/** What an operator says of a server that completes texts. */
export interface TextCompletions {
  /** Below the base URL, such as `/completions`. */
  readonly path: string
  /** Whether it takes a suffix, and fills in the text before that. */
  readonly suffix: boolean
  /** The models that do so, by id or by its start with `*` behind it; null for all. */
  readonly models: readonly string[] | null
}
