import type { Clock } from '../runtime/clock.ts'
import type { MediaFiles } from './media-files.ts'

const PROBE = Buffer.from('SVC writes, reads and removes this file at each start.')
/** If the check dies on its way, its file ends by itself. */
const PROBE_LIFE_MS = 600_000

/**
 * Writes a small file, reads it, and removes it.
 * @throws when one of these fails, or other bytes come back.
 */
export async function checkFiles(files: Pick<MediaFiles, 'put' | 'open' | 'remove'>, clock: Clock): Promise<void> {
  const { name } = await files.put({
    source: probeSource(),
    contentType: 'audio/pcm',
    expiresAt: clock.now() + PROBE_LIFE_MS,
    bytesMax: PROBE.length,
  })
  const read: Uint8Array[] = []
  for await (const piece of (await files.open(name, null)) ?? []) read.push(piece as Uint8Array)
  await files.remove(name)
  if (!Buffer.concat(read).equals(PROBE)) throw new Error('A file came back with other bytes than were written.')
}

async function* probeSource(): AsyncGenerator<Uint8Array> {
  yield PROBE
}
