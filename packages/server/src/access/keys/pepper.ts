/** A secret that takes part in the hash of every key. */
export interface Pepper {
  /** Stored with each hash, so that two peppers can be valid while one replaces the other. */
  readonly version: number
  readonly secret: string
}

/** Current pepper first: new keys are hashed under it. At most two are valid at a time. */
export type Peppers = readonly [Pepper, ...Pepper[]]
