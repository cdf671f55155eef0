/** Options that every command has, and those of `paidOptions`. */
export interface GlobalOptions {
  readonly json?: boolean | undefined
  readonly profile?: string | undefined
  readonly baseUrl?: string | undefined
  readonly quiet?: boolean | undefined
  /** Of commands that are charged: the most that each request may cost, in credits. */
  readonly maxCredits?: string | undefined
  /** Of the same: whether a quote is shown and nothing is sent. */
  readonly quote?: boolean | undefined
  /** Of some commands: seconds of a video, or of a recording. */
  readonly duration?: number | undefined
}
