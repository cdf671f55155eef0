/**
 * How long requests took and how they ended, added up by hour, model and key, off their path. What is noted is written
 * every few seconds; a process that dies loses these seconds, which no charge depends on. Source: decision 0160.
 */
import type { Timer } from '../../platform/runtime/timer.ts'
import type { UsageFacts } from '../ledger/operations.ts'
import { bucketOf, type TimingMeasure } from './timing-buckets.ts'
import type { TimingCell, TimingStore } from './timing-store.ts'

const HOUR_MS = 3_600_000
const WRITE_INTERVAL_MS = 5_000
/** How often rows whose time is over are looked for. */
const TIDY_INTERVAL_MS = 3_600_000
/** Cells in memory at most: beyond it new ones are left out until the next write. Source: own choice. */
const CELLS_MAX = 50_000
/** Cells in one write at most. */
const BATCH_MAX = 500

/** The key of what all keys did together. */
export const EVERY_KEY = ''

/** Errors that are the gateway's or its upstreams', not the caller's. */
const OURS: ReadonlySet<string> = new Set([
  'upstream_error',
  'upstream_empty',
  'upstream_unavailable',
  'upstream_timeout',
  'server_is_overloaded',
  'internal_error',
  'gateway_stopped',
])

export interface TimedRequest {
  /** Null where it is not known. */
  readonly keyId: string | null
  readonly model: string
  readonly type: string
  /** Milliseconds since the epoch, of its start. */
  readonly startedAt: number
  readonly durationMs: number
  /** Until the first content; null for whole answers. */
  readonly firstContentMs: number | null
  readonly facts: Pick<UsageFacts, 'status' | 'errorCode' | 'completionTokens'>
}

/** A cell while it is counted. */
type CountedCell = Omit<TimingCell, 'requests'> & { requests: number }

export interface RequestTimings {
  /** Costs no input or output. */
  note(request: TimedRequest): void
  /** Writes what was noted. Never rejects. */
  flush(): Promise<void>
  start(): void
  /** Stops the timer and writes the rest. */
  stop(): Promise<void>
}

export interface RequestTimingsDeps {
  readonly store: Pick<TimingStore, 'add' | 'tidy'>
  readonly timer: Timer
  readonly now: () => number
  /** Called when a write failed; it is tried again with the next. */
  readonly onError: (error: unknown) => void
}

/** How it ended; null for a caller who left, which says nothing of the model. */
function endOf({ status, errorCode }: TimedRequest['facts']): TimingMeasure | null {
  if (status === 'cancelled') return null
  if (errorCode !== null && OURS.has(errorCode)) return 'failed'
  return status === 'error' ? 'refused' : status === 'ok' ? 'ok' : 'failed'
}

/** A whole answer has no first content, and its speed is that of all of it. */
function speedOf({ durationMs, firstContentMs, facts }: TimedRequest): number | null {
  const tokens = facts.completionTokens ?? 0
  const ms = durationMs - (firstContentMs ?? 0)
  return tokens < 2 || ms <= 0 ? null : tokens / (ms / 1_000)
}

function measuresOf(request: TimedRequest): readonly (readonly [TimingMeasure, number])[] {
  const end = endOf(request.facts)
  if (end !== 'ok') return end === null ? [] : [[end, 0]]
  const { firstContentMs, durationMs } = request
  const speed = speedOf(request)
  return [
    ['ok', 0],
    ['duration', bucketOf(durationMs)],
    ...(firstContentMs === null ? [] : ([['first_content', bucketOf(firstContentMs)]] as const)),
    ...(speed === null ? [] : ([['speed', bucketOf(speed)]] as const)),
  ]
}

export function createRequestTimings(deps: RequestTimingsDeps): RequestTimings {
  let cells = new Map<string, CountedCell>()
  const stops: (() => void)[] = []

  /** Counts in place: every request comes through here, and nearly always for a cell that is there. */
  function add(cell: Omit<TimingCell, 'requests'>, requests: number): void {
    // The model is last: alone of them it may hold a line end.
    const name = `${cell.keyId}\n${cell.hour}\n${cell.measure}\n${cell.bucket}\n${cell.model}`
    const known = cells.get(name)
    if (known !== undefined) known.requests += requests
    else if (cells.size < CELLS_MAX) cells.set(name, { ...cell, requests })
  }

  async function flush(): Promise<void> {
    const all = [...cells.values()]
    cells = new Map()
    for (let start = 0; start < all.length; start += BATCH_MAX) {
      const batch = all.slice(start, start + BATCH_MAX)
      try {
        await deps.store.add(batch)
      } catch (error) {
        for (const { requests, ...cell } of batch) add(cell, requests)
        deps.onError(error)
      }
    }
  }

  return {
    note(request) {
      const hour = Math.floor(request.startedAt / HOUR_MS)
      const { keyId, model } = request
      for (const [measure, bucket] of measuresOf(request)) {
        add({ keyId: EVERY_KEY, hour, model, measure, bucket }, 1)
        if (keyId !== null) add({ keyId, hour, model, measure, bucket }, 1)
      }
    },
    flush,
    start() {
      if (stops.length > 0) return
      const tidy = (): Promise<void> => deps.store.tidy(deps.now()).catch(deps.onError)
      stops.push(deps.timer.repeat(WRITE_INTERVAL_MS, flush), deps.timer.repeat(TIDY_INTERVAL_MS, tidy))
    },
    async stop() {
      for (const stop of stops.splice(0)) stop()
      await flush()
    },
  }
}
