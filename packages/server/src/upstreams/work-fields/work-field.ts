import type { UsageType } from '@svc/contract'

/**
 * What a field of a request means for the work that it makes an upstream do. Servers that speak OpenAI's API read
 * fields of their own beside OpenAI's, and the gateway cannot know which server is behind an address: so it checks the
 * fields of all at each.
 */
export type WorkKind =
  /** Another name of the limit on output tokens. It becomes the bound that is held for, where it is above it. */
  | 'limit'
  /** Tokens for thoughts, which are a part of the output. Treated like a limit. */
  | 'budget'
  /** Tokens for thoughts that the limit does not count. The hold covers them, too. */
  | 'beside'
  /** What the model is given to agree with: what it does not agree with is billed beside the answer, by its length. */
  | 'prediction'
  /** Output tokens at the least. Refused above the bound. */
  | 'least'
  /** Makes an answer run to its limit. The limit is then always sent. */
  | 'endless'
  /** Answers to be made, under another name than `n`. Refused above the answers that are held for. */
  | 'answers'
  /** Answers that are made and thrown away. Refused above one. */
  | 'beams'
  /** Probabilities of tokens for each token. Refused above what OpenAI's API allows. */
  | 'probabilities'
  /** More work for the same answer. Refused unless its value asks for nothing. */
  | 'work'
  /** A search that is sold beside the tokens. Refused unless it is switched off; an empty object asks for one. */
  | 'search'
  /** Another model, server, queue or program. Refused unless its value asks for nothing. */
  | 'route'
  /** A second text, audio or image in the place of what is held for. Refused. */
  | 'input'
  /**
   * Renders to be made, under another name than `n`, which is always sent: left out at the top, and refused above one
   * within an object.
   */
  | 'renders'
  /** An object that servers keep parameters in. */
  | 'holder'
  /** Content, or names of the client's own: not looked into. */
  | 'content'
  /** Names a length or a count, and changes no price. */
  | 'harmless'

/** What one server, or one vendor's API, reads beside OpenAI's fields, at any depth. */
export interface DialectFields {
  readonly dialect: string
  /** A public address, or a repository and a path in it. */
  readonly source: string
  /** Absent: all. */
  readonly modalities?: readonly UsageType[]
  readonly fields: Readonly<Record<string, WorkKind>>
}
