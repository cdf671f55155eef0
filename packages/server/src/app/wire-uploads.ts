/** What files of teams are kept with, made from the parts. Part of the composition. */
import { createBatchStore } from '../batches/batch-store.ts'
import { createFileVault } from '../uploads/file-vault.ts'
import { createStoredFileStore } from '../uploads/stored-file-store.ts'
import type { UploadDeps } from '../uploads/upload-deps.ts'
import type { Parts } from './open-parts.ts'

/** Makes it. */
export function wireUploads({ database, media, config, clock }: Parts): UploadDeps {
  return {
    store: createStoredFileStore(database),
    vault: createFileVault({ files: media.files, secrets: config.peppers }),
    clock,
    isInUse: (fileId) => createBatchStore(database).isReading(fileId),
  }
}
