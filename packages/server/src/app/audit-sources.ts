/** What an audit of the ledger log has beside the database: the keys and the checkpoints of files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { logInvariant } from '../money/ledger-log/audit-log.ts'
import type { Invariant } from '../money/ledger/audit-query.ts'
import { CHECKPOINT_FILE, readLogKeys } from './open-ledger-log.ts'

/** Where they are. */
export interface AuditFiles {
  readonly keyFile: string
  readonly dataDir: string
  /** Files with checkpoints that others have kept. */
  readonly checkpoints?: readonly string[]
}

/**
 * The invariants beside the ledger's own.
 *
 * @throws {ConfigError} when the file of the key is none.
 * @throws the system's error when a file that was named cannot be read.
 */
export function moreInvariants({ keyFile, dataDir, checkpoints = [] }: AuditFiles): readonly Invariant[] {
  const own = readOwn(join(dataDir, CHECKPOINT_FILE))
  return [
    logInvariant({
      signers: readLogKeys(keyFile),
      checkpoints: [
        ...(own === null ? [] : [{ name: 'the last checkpoint that this gateway has given out', note: own }]),
        ...checkpoints.map((path) => ({ name: `the checkpoint in ${path}`, note: readFileSync(path, 'utf8') })),
      ],
    }),
  ]
}

function readOwn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
