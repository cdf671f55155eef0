import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { CatalogList } from './catalog-row.ts'
import { parseLiveList } from './live-list.ts'

/** The last good list of an upstream, kept in the data folder for the next start. */
export interface LastGoodCopy {
  /** Returns null when there is none, when it cannot be read, or when it came from another address. */
  read(): Promise<CatalogList | null>
  /**
   * Replaces the copy whole or not at all.
   *
   * @param source rows as `parseLiveList` gives them back.
   */
  write(source: readonly unknown[], fetchedAt: number): Promise<void>
}

const copySchema = z.object({
  format: z.literal(1),
  origin: z.string(),
  fetchedAt: z.int().min(0),
  data: z.array(z.unknown()),
})

/**
 * Keeps the copy of one upstream's list in `<dataDir>/catalog-<upstream>.json`.
 *
 * @param options.origin the upstream's address: a copy from another one is not used.
 */
export function createLastGoodCopy(options: {
  readonly dataDir: string
  readonly upstream: string
  readonly origin: string
}): LastGoodCopy {
  const { dataDir, upstream, origin } = options
  const path = join(dataDir, `catalog-${upstream}.json`)
  return {
    async read() {
      const copy = copySchema.safeParse(await readJson(path))
      if (!copy.success || copy.data.origin !== origin) return null
      const parsed = parseLiveList(copy.data.data)
      if (parsed === null || parsed.rows.length === 0) return null
      return { rows: parsed.rows, source: 'live', updatedAt: copy.data.fetchedAt }
    },
    async write(source, fetchedAt) {
      await mkdir(dataDir, { recursive: true })
      const next = `${path}.${process.pid}.tmp`
      const file = await open(next, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify({ format: 1, origin, fetchedAt, data: source }))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(next, path)
    },
  }
}

/** Returns null when there is no such file or it is not JSON. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}
