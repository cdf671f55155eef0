/** Ends a command whose quote was shown in place of its work. It is no failure. */
export class QuoteShownError extends Error {
  override readonly name = 'QuoteShownError'

  constructor() {
    super('Only a quote was asked for.')
  }
}
