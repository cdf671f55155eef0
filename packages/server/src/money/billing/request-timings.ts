/**
 * How long requests took and how they ended, added up by hour, model and key, off their path. What is noted is written
 * every few seconds; a process that dies loses these seconds, which no charge depends on. Source: decision 0160.
 */
import type { Timer } from '../../platform/runtime/timer.ts'
import type { UsageFacts } from '../ledger/operations.ts'
import { bucketOf, BUCKETS, type TimingMeasure, timingMeasures } from './timing-buckets.ts'
import { EVERY_KEY, type TimingCell, type TimingStore } from './timing-store.ts'

const HOUR_MS = 3_600_000
const WRITE_INTERVAL_MS = 5_000
/** How often rows whose time is over are looked for. */
const TIDY_INTERVAL_MS = 3_600_000
/** Cells in memory at most: beyond it new ones are left out until the next write. Source: own choice. */
const CELLS_MAX = 50_000
/** Cells in one write at most. */
const BATCH_MAX = 500

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

/** What is counted of one key's requests for one model in one hour. */
interface CountedGroup extends Pick<TimingCell, 'keyId' | 'hour' | 'model'> {
  /** Requests by measure and bucket, both in one number: see `placeOf`. */
  readonly requests: Map<number, number>
}

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

/** A measure and a bucket as one number. Numbers, since every request is counted. */
function placeOf(measure: TimingMeasure, bucket: number): number {
  return timingMeasures.indexOf(measure) * BUCKETS + bucket
}

function placesOf(request: TimedRequest): readonly number[] {
  const end = endOf(request.facts)
  if (end === null) return []
  const places = [placeOf(end, 0)]
  if (end !== 'ok') return places
  const { firstContentMs, durationMs } = request
  places.push(placeOf('duration', bucketOf(durationMs)))
  if (firstContentMs !== null) places.push(placeOf('first_content', bucketOf(firstContentMs)))
  const speed = speedOf(request)
  if (speed !== null) places.push(placeOf('speed', bucketOf(speed)))
  return places
}

function cellsOf({ keyId, hour, model, requests }: CountedGroup): readonly TimingCell[] {
  return [...requests].map(([place, count]) => {
    const measure = timingMeasures[Math.floor(place / BUCKETS)] ?? 'ok'
    return { keyId, hour, model, measure, bucket: place % BUCKETS, requests: count }
  })
}

export function createRequestTimings(deps: RequestTimingsDeps): RequestTimings {
  let groups = new Map<string, CountedGroup>()
  let cells = 0
  const stops: (() => void)[] = []

  /** Null for a new one where there is no room. */
  function findGroup(keyId: string, hour: number, model: string): CountedGroup | null {
    // The model is last: alone of them it may hold a line end.
    const name = `${keyId}\n${hour}\n${model}`
    const known = groups.get(name)
    if (known !== undefined) return known
    if (cells >= CELLS_MAX) return null
    const group = { keyId, hour, model, requests: new Map<number, number>() }
    groups.set(name, group)
    return group
  }

  function add(group: CountedGroup | null, place: number, count: number): void {
    const known = group?.requests.get(place)
    if (known === undefined && cells >= CELLS_MAX) return
    if (known === undefined) cells++
    group?.requests.set(place, (known ?? 0) + count)
  }

  async function flush(): Promise<void> {
    const all = [...groups.values()].flatMap(cellsOf)
    groups = new Map()
    cells = 0
    for (let start = 0; start < all.length; start += BATCH_MAX) {
      const batch = all.slice(start, start + BATCH_MAX)
      try {
        await deps.store.add(batch)
      } catch (error) {
        for (const { keyId, hour, model, measure, bucket, requests } of batch) {
          add(findGroup(keyId, hour, model), placeOf(measure, bucket), requests)
        }
        deps.onError(error)
      }
    }
  }

  return {
    note(request) {
      const places = placesOf(request)
      if (places.length === 0) return
      const hour = Math.floor(request.startedAt / HOUR_MS)
      const { keyId, model } = request
      for (const each of keyId === null ? [EVERY_KEY] : [EVERY_KEY, keyId]) {
        const group = findGroup(each, hour, model)
        for (const place of places) add(group, place, 1)
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
