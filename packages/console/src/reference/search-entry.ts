/** What is found by a search: a section of a guide, an operation, a code. */
export interface SearchEntry {
  readonly title: string
  /** The page or group that it is in. */
  readonly page: string
  readonly url: string
  readonly text: string
}
