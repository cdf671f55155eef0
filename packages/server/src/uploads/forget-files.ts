import { parseMediaName } from '../platform/files/media-name.ts'
import type { UploadDeps } from './upload-deps.ts'

/** Files that are forgotten in one write. Source: own choice. */
const PORTION = 500

/**
 * Forgets files whose time was over by then. Bytes end by themselves when their names say so; what was ended before,
 * with its account, is removed here.
 */
export async function forgetFiles({ store, vault }: Pick<UploadDeps, 'store' | 'vault'>, now: number): Promise<void> {
  for (;;) {
    const files = await store.listExpired(now, PORTION)
    for (const file of files) {
      if ((parseMediaName(file.mediaName)?.expiresAt ?? 0) > now) await vault.remove(file)
    }
    await store.forget(files.map(({ fileId }) => fileId))
    if (files.length < PORTION) return
  }
}
