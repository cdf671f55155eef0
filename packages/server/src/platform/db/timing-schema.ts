/** How many requests of an hour are in a bucket of a measure. */
export interface RequestTimingTable {
  /** Empty for all keys together. */
  key_id: string
  /** Hours since the epoch, UTC, of the requests' start. */
  hour: number
  model: string
  measure: string
  bucket: number
  requests: number
}
