/** One text to count or to split, as it travels to the worker. */
export interface TokenJob {
  readonly kind: 'count' | 'split'
  readonly text: string
}

/** What a job gives: the number of tokens, or the parts of the text. */
export type TokenJobResult = number | string[]

/** What the worker sends: once that it can work, then one list of results for each list of jobs. */
export type TokenWorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly results: TokenJobResult[] }
