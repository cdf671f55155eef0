/** Which log a leaf was put down in: one that takes the place of a lost one begins with the other one's leaves. */
import { type NewLogStatement, parseStatement } from '@svc/contract/log/log-statement'

export interface LogOrigins {
  /** The name of the log that a leaf was put down in. */
  readonly ofLeaf: (index: number) => string
  /** As many leaves of a checkpoint's log are in this one; null where it is none of those that this one replaces. */
  readonly keptOf: (origin: string) => number | null
}

/** @param statements what the log states, the oldest first. */
export function originsOf(origin: string, statements: readonly string[]): LogOrigins {
  const replaced = statements
    .map(parseStatement)
    .filter((statement): statement is NewLogStatement => statement?.kind === 'new_log')
    .toReversed()
  return {
    ofLeaf: (index) => {
      let name = origin
      for (const { keptSize, replacedOrigin } of replaced) {
        if (index >= keptSize) return name
        name = replacedOrigin
      }
      return name
    },
    keptOf: (name) => {
      if (name === origin) return Number.MAX_SAFE_INTEGER
      let kept = Number.MAX_SAFE_INTEGER
      for (const { keptSize, replacedOrigin } of replaced) {
        kept = Math.min(kept, keptSize)
        if (replacedOrigin === name) return kept
      }
      return null
    },
  }
}

/** Whether a log still states what a checkpoint of it has stated. */
export function statesAll(statements: readonly string[], stated: readonly string[]): boolean {
  return stated.every((line, at) => statements[at] === line)
}
