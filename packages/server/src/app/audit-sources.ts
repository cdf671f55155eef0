/** What an audit of the ledger log has beside the database: the keys and the checkpoints of files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { logInvariant } from '../money/ledger-log/audit-log.ts'
import type { Invariant } from '../money/ledger/audit-query.ts'
import { readLogKeyFile } from '../money/ledger-log/log-key-file.ts'
import { CHECKPOINT_FILE } from './open-ledger-log.ts'

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
  const { signers, former } = readLogKeyFile(keyFile)
  const own = readOwnCheckpoint(dataDir)
  return [
    logInvariant({
      ...{ signers, former },
      checkpoints: [
        ...(own === null ? [] : [{ name: 'the last checkpoint that this gateway has given out', note: own }]),
        ...checkpoints.map((path) => ({ name: `the checkpoint in ${path}`, note: readFileSync(path, 'utf8') })),
      ],
    }),
  ]
}

/** The last checkpoint that the gateway on a data folder has given out; null for none. */
export function readOwnCheckpoint(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, CHECKPOINT_FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
