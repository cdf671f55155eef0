import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BelievedClock } from '../runtime/believed-clock.ts'
import { boundedSource } from './bounded-source.ts'
import { checkFiles } from './check-files.ts'
import type { MediaFileFacts, MediaFiles, NewMediaFile } from './media-files.ts'
import { createMediaName, parseMediaName } from './media-name.ts'

export interface FolderFilesDeps {
  readonly folder: string
  readonly clock: Pick<BelievedClock, 'now' | 'earliest'>
}

/** Files that are being written have such names; nothing else looks at them. */
const PART = /^part-[0-9a-f]{32}$/
/** What has not grown for so long belongs to a writer that died, in milliseconds. Source: own choice. */
const PART_IDLE_MS = 3_600_000
const OWNER_ONLY = 0o600

/**
 * Keeps files in one folder, each readable by its owner alone. A file is written under another name, forced to the disk
 * and then renamed, so that it is there as a whole or not at all.
 */
export async function createFolderFiles(deps: FolderFilesDeps): Promise<MediaFiles> {
  const { folder, clock } = deps
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lives = (name: string) => {
    const facts = parseMediaName(name)
    return facts === null || facts.expiresAt <= clock.now() ? null : facts
  }
  const head = async (name: string): Promise<MediaFileFacts | null> => {
    const facts = lives(name)
    const found = facts === null ? null : await unlessMissing(stat(join(folder, name)))
    return facts === null || found === null ? null : { name, ...facts, bytes: found.size }
  }
  const files: MediaFiles = {
    put: (file) => writeFile(folder, file),
    head,
    open: async (name, range) => {
      const handle = lives(name) === null ? null : await unlessMissing(open(join(folder, name)))
      return handle?.createReadStream(range ?? {}) ?? null
    },
    remove: async (name) => {
      if (parseMediaName(name) !== null) await rm(join(folder, name), { force: true })
    },
    sweep: () => sweepFolder(deps),
    check: () => checkFiles(files, clock),
    close: () => Promise.resolve(),
  }
  return files
}

async function writeFile(folder: string, file: NewMediaFile): Promise<MediaFileFacts> {
  const name = createMediaName(file)
  const part = join(folder, `part-${randomBytes(16).toString('hex')}`)
  let bytes = 0
  try {
    const handle = await open(part, 'wx', OWNER_ONLY)
    const source = boundedSource(file.source, file.bytesMax, (total) => (bytes = total))
    await pipeline(source, handle.createWriteStream({ flush: true }), { signal: file.signal })
    await rename(part, join(folder, name))
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await flushFolder(folder)
  return { name, contentType: file.contentType, bytes, expiresAt: parseMediaName(name)?.expiresAt ?? file.expiresAt }
}

/** Makes the new name itself survive a crash. Not every system can open a folder; those look after it by themselves. */
async function flushFolder(folder: string): Promise<void> {
  let handle: FileHandle | null = null
  try {
    handle = await open(folder)
    await handle.sync()
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL'].includes(systemCode(error))) throw error
  } finally {
    await handle?.close()
  }
}

async function sweepFolder({ folder, clock }: FolderFilesDeps): Promise<number> {
  const now = clock.earliest()
  let removed = 0
  for await (const { name } of await opendir(folder)) {
    const facts = parseMediaName(name)
    const isOver = facts === null ? await isAbandoned(join(folder, name), name, now) : facts.expiresAt <= now
    if (!isOver) continue
    await rm(join(folder, name), { force: true })
    removed += 1
  }
  return removed
}

/** Files of other makers are left alone. */
async function isAbandoned(path: string, name: string, now: number): Promise<boolean> {
  if (!PART.test(name)) return false
  const found = await unlessMissing(stat(path))
  return found !== null && found.mtimeMs + PART_IDLE_MS <= now
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
