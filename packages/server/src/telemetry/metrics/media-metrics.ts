import type { UsageStatus } from '@svc/contract'
import type { Registry } from 'prom-client'
import { OTHER_MODEL } from './chat-metrics.ts'
import { createTallyCounter, createTallyHistogram, type Distribution, type Tally } from './tally.ts'

/** A request for media whose hold has ended. */
export interface SettledMedia {
  /** `image`, `video`, `speech`, `transcription`. */
  readonly type: string
  /** An id of the catalog's list, or `other`: never what a client made up. */
  readonly model: string
  readonly upstream: string
  readonly status: UsageStatus
  readonly errorCode: string | null
  /** From the hold to its end. */
  readonly seconds: number
  /** A float, for display alone: money is counted by the ledger. */
  readonly credits: number
}

/** Takes down what becomes of requests for media. */
export interface MediaMetrics {
  settled(media: SettledMedia): void
}

/** Types, models and upstreams with metrics of their own, over the life of the process. Source: own choice. */
const CELLS_MAX = 1_000

/** Seconds: from a short spoken sentence to a long video. */
const MEDIA_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600]

const LABELS = ['type', 'model', 'upstream'] as const

interface Cells {
  readonly status: Readonly<Record<SettledMedia['status'], Tally>>
  readonly duration: Distribution
  readonly credits: Tally
}

/** Registers the metrics of requests for media. */
export function createMediaMetrics(registry: Registry): MediaMetrics {
  const requests = createTallyCounter(registry, {
    name: 'svc_media_requests_total',
    help: 'Requests for media that had a hold, by what became of them: ok, error (free), cancelled.',
    labels: [...LABELS, 'status'],
  })
  const errors = createTallyCounter(registry, {
    name: 'svc_media_errors_total',
    help: 'Requests for media that had a hold and failed, by error code.',
    labels: ['type', 'code'],
  })
  const duration = createTallyHistogram(
    registry,
    {
      name: 'svc_media_duration_seconds',
      help: 'From the hold of a request for media to its settlement.',
      labels: LABELS,
    },
    MEDIA_BOUNDS,
  )
  const credits = createTallyCounter(registry, {
    name: 'svc_media_credits_charged_total',
    help: 'Credits charged; a float, for display only.',
    labels: LABELS,
  })
  const known = new Map<string, Cells>()
  const cellsOf = ({ type, model, upstream }: Pick<SettledMedia, 'type' | 'model' | 'upstream'>): Cells => {
    const key = JSON.stringify([type, model, upstream])
    const found = known.get(key)
    if (found !== undefined) return found
    if (model !== OTHER_MODEL && known.size >= CELLS_MAX) return cellsOf({ type, model: OTHER_MODEL, upstream })
    const made: Cells = {
      status: {
        ok: requests.cell(type, model, upstream, 'ok'),
        incomplete: requests.cell(type, model, upstream, 'incomplete'),
        error: requests.cell(type, model, upstream, 'error'),
        cancelled: requests.cell(type, model, upstream, 'cancelled'),
      },
      duration: duration.cell(type, model, upstream),
      credits: credits.cell(type, model, upstream),
    }
    known.set(key, made)
    return made
  }
  return {
    settled: (media) => {
      const cells = cellsOf(media)
      cells.status[media.status].value++
      cells.duration.observe(media.seconds)
      cells.credits.value += media.credits
      if (media.errorCode !== null) errors.cell(media.type, media.errorCode).value++
    },
  }
}
