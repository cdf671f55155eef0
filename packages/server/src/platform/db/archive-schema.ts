/** The tables of what was moved to files. Source: decision 0163. */

/** A file with records of requests, which are not in the database any more. */
export interface ArchiveFileTable {
  file_id: number
  /** Below the archive's folder. */
  name: string
  /** The first and the last request of its range. */
  first_id: string
  last_id: string
  requests: number
  byte_length: number
  /** Of the file as it is, compressed, as hex digits. */
  sha256: string
  archived_at: number
}

/** What the records of a file add up to: for one key, day, type and model. */
export interface ArchivedUsageTable {
  file_id: number
  key_id: string
  /** Days since the epoch, UTC, of the requests' start. */
  day: number
  type: string
  model: string
  account_id: string
  requests: number
  /** Those that have no transfer. */
  free_requests: number
  charge: bigint
  write_off: bigint
  cost: bigint
  prompt_tokens: number
  completion_tokens: number
}

/** What the requests of a file count in one period of a budget. */
export interface ArchivedBudgetTable {
  file_id: number
  budget_id: string
  window_start: number
  charge: bigint
}
