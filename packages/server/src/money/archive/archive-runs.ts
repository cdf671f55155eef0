/** Archives by itself what is older than so many months: each night, one process at a time. Source: decision 0164. */
import { leastIdOf } from '../../platform/runtime/ids.ts'
import { archiveRequests, type ArchiveDeps, type ArchiveResult } from './archive-requests.ts'

export interface ArchiveRunsDeps extends ArchiveDeps {
  readonly folder: string
  /** Whole calendar months that stay beside the present one; at least 2. */
  readonly months: number
  readonly onArchived: (result: ArchiveResult) => void
  readonly onFailed: (error: unknown) => void
}

/** Hours of UTC in which it works: most operators' nights, and the same for all processes. Source: own choice. */
const NIGHT = { from: 1, to: 5 } as const

/** Whether an hour belongs to the night. @param at milliseconds since the epoch. */
export function isNight(at: number): boolean {
  const hour = new Date(at).getUTCHours()
  return hour >= NIGHT.from && hour < NIGHT.to
}

/** The first moment that stays: the beginning of the oldest month that does. @param at milliseconds since the epoch. */
export function keptSince(at: number, months: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1)
}

/** When a request becomes due: the beginning of the first month in which it may leave. */
export function dueSince(startedAt: number, months: number): number {
  const date = new Date(startedAt)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 1)
}

export class ArchiveRuns {
  readonly #deps: ArchiveRunsDeps
  #running: Promise<void> | null = null
  #isStopped = false

  constructor(deps: ArchiveRunsDeps) {
    this.#deps = deps
  }

  /** Archives what is due, at night. A look while one is under way does nothing. */
  async tick(): Promise<void> {
    const now = this.#deps.clock.now()
    if (this.#isStopped || this.#running !== null || !isNight(now)) return
    this.#running = this.#run(now)
    await this.#running.finally(() => (this.#running = null))
  }

  async #run(now: number): Promise<void> {
    const { folder, months, onArchived, onFailed } = this.#deps
    try {
      // Most looks find nothing: they take no lease and read no file.
      if ((await this.#oldestDue(now)) === null || !(await this.#deps.mayGoOn())) return
      const deps = { ...this.#deps, mayGoOn: async () => !this.#isStopped && (await this.#deps.mayGoOn()) }
      const result = await archiveRequests(deps, { folder, before: keptSince(now, months), isDryRun: false })
      if (result.files > 0) onArchived(result)
    } catch (error) {
      onFailed(error)
    }
  }

  /** For how long the oldest request that should have left has been due, in milliseconds; 0 where none is. */
  async overdueMs(): Promise<number> {
    const now = this.#deps.clock.now()
    const oldest = await this.#oldestDue(now)
    return oldest === null ? 0 : Math.max(0, now - dueSince(oldest, this.#deps.months))
  }

  async #oldestDue(now: number): Promise<number | null> {
    const { store, months } = this.#deps
    const before = keptSince(now, months)
    const last = await store.findLast()
    const [afterId, belowId] = [last?.last_id ?? '', leastIdOf(before)]
    const [oldest] = await store.readPortion({ afterId, endedBefore: before, belowId, limit: 1 })
    return oldest?.record.started_at ?? null
  }

  /** Lets a run end behind the portion that it is at. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }
}
