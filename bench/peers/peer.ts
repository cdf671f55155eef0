/** Another gateway beside which this one is measured. */
import type { BenchContext } from '../bench-context.ts'
import type { LoadTarget } from '../load-order.ts'

/** What a peer is given. */
export interface PeerPlace {
  /** Where its program is, or comes. */
  readonly programFolder: string
  /** For what it writes while it is measured; empty at first, and the same at each of its starts. */
  readonly dataFolder: string
  /** A port that is free. */
  readonly port: number
  /** Origin of the upstream, which is the same at each start. */
  readonly upstream: string
}

/** How it is started. */
export interface PeerProgram {
  readonly command: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A path that answers 200 once it is ready. */
  readonly readyPath: string
  /** Called when it is ready for the first time: makes keys and routes. */
  readonly setUp?: () => Promise<void>
  readonly target: LoadTarget
}

/** It cannot be measured here; the message says why. */
export class PeerMissingError extends Error {}

export interface Peer {
  readonly name: string
  /**
   * Puts the program there, if it is not; resolves with its version.
   *
   * @throws {PeerMissingError} where it cannot be.
   */
  install(programFolder: string): Promise<string>
  /**
   * How it is started in a place. Called once for each place.
   *
   * @throws {PeerMissingError} where something is missing that it needs to run.
   */
  prepare(context: BenchContext, place: PeerPlace): Promise<PeerProgram>
  /** What it keeps of a request, in a few words for the table. */
  readonly accounting: string
}
