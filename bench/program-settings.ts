/** What the forked programs of the bench are started with, as JSON in their first argument. */
import type { DatabasePlace } from '../packages/server/testing/fresh-database.ts'

/** Key and certificate of a server, as PEM text. */
export interface ServerIdentity {
  readonly key: string
  readonly cert: string
}

export interface StubSettings {
  /** Frames of a streamed answer that carry text or the finish reason. */
  readonly chunks: number
  readonly gapMs: number
  /** Null serves plain HTTP/1.1; with an identity it serves TLS, with HTTP/2 for those that offer it. */
  readonly identity: ServerIdentity | null
  /** Where it listens; absent: on a port that is free. */
  readonly port?: number
}

export interface ProxySettings {
  readonly upstream: string
  readonly allowH2: boolean
  /** Whose whole answers are booked; absent: nobody's. */
  readonly books?: BookedCaller
}

/** A caller with credits, by the database and the key. */
export interface BookedCaller {
  readonly place: DatabasePlace
  readonly keyId: string
}

/** The first thing that a forked program says. */
export interface Listening {
  readonly port: number
}

/** Reads the settings of this program. */
export function readSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}') as Settings
}
