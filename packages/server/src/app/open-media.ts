import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { createFolderFiles } from '../platform/files/folder-files.ts'
import type { MediaFiles } from '../platform/files/media-files.ts'
import { createUrlSigner, type UrlSigner } from '../platform/files/url-signer.ts'
import type { FindProxy } from '../platform/outbound/open-dispatcher.ts'
import type { BelievedClock } from '../platform/runtime/believed-clock.ts'

export interface OpenMedia {
  readonly files: MediaFiles
  readonly signer: UrlSigner
}

/** Beside the database, so that one folder is all there is to keep. */
const FOLDER = 'media'

/**
 * Opens the place where files are kept, and tries it where it is not this machine's own.
 * @throws {FilesUnavailableError} when the bucket cannot be used.
 */
export async function openMedia(
  { media, dataDir }: Config,
  clock: BelievedClock,
  findProxy: FindProxy,
): Promise<OpenMedia> {
  const signer = createUrlSigner({ secrets: media.secrets, clock })
  if (media.s3 === null) return { files: await createFolderFiles({ folder: join(dataDir, FOLDER), clock }), signer }
  const { createS3Files } = await import('../platform/files/s3-files.ts')
  const files = await createS3Files({ place: media.s3, clock, findProxy })
  await files.check()
  return { files, signer }
}
