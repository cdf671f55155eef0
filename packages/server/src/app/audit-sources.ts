/** What an audit of the ledger log has beside the database: the keys and the checkpoints of files. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ArchivedRecords } from '../money/archive/archived-records.ts'
import { archiveFilesInvariant } from '../money/archive/audit-files.ts'
import { logInvariant } from '../money/ledger-log/audit-log.ts'
import type { Invariant } from '../money/ledger/audit-query.ts'
import { readLogKeyFile } from '../money/ledger-log/log-key-file.ts'
import type { ArchiveFileTable } from '../platform/db/archive-schema.ts'
import { CHECKPOINT_FILE } from './open-ledger-log.ts'

/** Where they are. */
export interface AuditFiles {
  readonly keyFile: string
  readonly dataDir: string
  /** Files with checkpoints that others have kept. */
  readonly checkpoints?: readonly string[]
  /** Where archived requests are, and the files that the database knows; null audits without them. */
  readonly archive?: { readonly folder: string; readonly files: readonly ArchiveFileTable[] } | null
}

/**
 * The invariants beside the ledger's own.
 *
 * @throws {ConfigError} when the file of the key is none.
 * @throws the system's error when a file that was named cannot be read.
 */
export function moreInvariants(files: AuditFiles): readonly Invariant[] {
  const { keyFile, dataDir, checkpoints = [], archive = null } = files
  const { signers, former } = readLogKeyFile(keyFile)
  const own = readOwnCheckpoint(dataDir)
  const archived = archive === null ? null : new ArchivedRecords(archive.folder, archive.files)
  return [
    ...(archive === null ? [] : [archiveFilesInvariant(archive.folder)]),
    logInvariant({
      ...{ signers, former },
      findArchived: archived === null ? null : (ids) => archived.findRecords(ids),
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
