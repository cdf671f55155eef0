import type { ByteRange, MediaFiles } from '../platform/files/media-files.ts'
import { SEALED_TYPE } from '../platform/files/media-name.ts'
import { openSealed, sealBytes, sealedLength, type VersionedSecret } from '../platform/files/sealed-bytes.ts'
import type { StoredFile } from './stored-file.ts'

export interface FileVaultDeps {
  readonly files: Pick<MediaFiles, 'put' | 'open' | 'remove'>
  /** The first seals; each opens. */
  readonly secrets: readonly [VersionedSecret, ...VersionedSecret[]]
}

/** Keeps the bytes of files, sealed, where made files are kept. */
export interface FileVault {
  /**
   * Seals and keeps what a source has; when it resolves, that survives a crash.
   *
   * @throws {MediaTooLargeError} when the source has more than `bytesMax`, and whatever the source throws: then nothing
   *   is kept.
   */
  keep(
    source: AsyncIterable<Uint8Array>,
    end: { readonly expiresAt: number; readonly bytesMax: number },
  ): Promise<Pick<StoredFile, 'mediaName' | 'bytes'>>
  /**
   * Opens a part of what is kept.
   *
   * @param range null for the whole; must lie within the file.
   * @returns null where it has gone, or was sealed with a secret that has.
   * @throws {Error} while it is read, where it is not what was kept.
   */
  open(file: Pick<StoredFile, 'mediaName' | 'bytes'>, range: ByteRange | null): Promise<AsyncGenerator<Buffer> | null>
  remove(file: Pick<StoredFile, 'mediaName'>): Promise<void>
}

/** Makes it. */
export function createFileVault({ files, secrets }: FileVaultDeps): FileVault {
  return {
    async keep(source, { expiresAt, bytesMax }) {
      let bytes = 0
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const piece of source) {
          bytes += piece.byteLength
          yield piece
        }
      }
      const { name } = await files.put({
        source: sealBytes(secrets[0], counted()),
        contentType: SEALED_TYPE,
        expiresAt,
        bytesMax: sealedLength(bytesMax),
      })
      return { mediaName: name, bytes }
    },
    open({ mediaName, bytes }, range) {
      const source = { bytes, secrets, read: (part: ByteRange) => files.open(mediaName, part) }
      return openSealed(source, range ?? { start: 0, end: Math.max(0, bytes - 1) })
    },
    remove: ({ mediaName }) => files.remove(mediaName),
  }
}
