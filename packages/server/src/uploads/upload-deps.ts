import type { RouteKit } from '../edge/route-kit.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { FileVault } from './file-vault.ts'
import type { StoredFileStore } from './stored-file-store.ts'

/** What the use cases of this room are given. */
export interface UploadDeps {
  readonly store: StoredFileStore
  readonly vault: FileVault
  readonly clock: Clock
  /** Whether work that has not ended still reads a file. */
  readonly isInUse: (fileId: string) => Promise<boolean>
}

export interface UploadRoutesDeps extends RouteKit {
  readonly uploads: UploadDeps
}
