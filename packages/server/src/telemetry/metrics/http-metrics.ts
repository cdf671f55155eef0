import type { Registry } from 'prom-client'
import { createTallyCounter, createTallyHistogram, type Distribution, type Tally } from './tally.ts'

/** One request whose answer is over. */
export interface EndedRequest {
  /** The route's pattern; null where no route was found. */
  readonly route: string | null
  readonly method: string
  /** Null when the client left before the end. */
  readonly status: number | null
  readonly seconds: number
  /** Code of the error that was answered; null for none. */
  readonly errorCode: string | null
}

/** Takes down what becomes of HTTP requests. */
export interface HttpMetrics {
  ended(request: EndedRequest): void
}

/** Seconds. From a refusal to an answer that a slow model takes minutes for. Source: own choice. */
export const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PUT', 'PATCH'])
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

interface RouteCells {
  readonly duration: Distribution
  /** By method, then by the status's class. */
  readonly requests: Map<string, Tally[]>
}

/** Registers the metrics of the edge. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requests = createTallyCounter(registry, {
    name: 'svc_http_requests_total',
    help: 'Requests, by route, method and class of the status; aborted: the client left before the end.',
    labels: ['route', 'method', 'status'],
  })
  const duration = createTallyHistogram(
    registry,
    {
      name: 'svc_http_request_duration_seconds',
      help: 'From the request to the end of its answer, streams included.',
      labels: ['route'],
    },
    REQUEST_BOUNDS,
  )
  const errors = createTallyCounter(registry, {
    name: 'svc_http_errors_total',
    help: 'Error answers by code; rate_limit_exceeded and the codes of 402 among them.',
    labels: ['code'],
  })
  const routes = new Map<string | null, RouteCells>()
  const cellsOf = (route: string | null): RouteCells => {
    const known = routes.get(route)
    if (known !== undefined) return known
    const made = { duration: duration.cell(route ?? 'none'), requests: new Map<string, Tally[]>() }
    routes.set(route, made)
    return made
  }
  const requestsOf = (cells: RouteCells, route: string | null, sent: string): Tally[] => {
    const method = METHODS.has(sent) ? sent : 'other'
    const known = cells.requests.get(method)
    if (known !== undefined) return known
    const made = CLASSES.map((name) => requests.cell(route ?? 'none', method, name))
    cells.requests.set(method, made)
    return made
  }
  const errorCells = new Map<string, Tally>()
  const countError = (code: string): void => {
    const cell = errorCells.get(code) ?? errors.cell(code)
    errorCells.set(code, cell)
    cell.value++
  }
  return {
    ended: ({ route, method, status, seconds, errorCode }) => {
      const cells = cellsOf(route)
      cells.duration.observe(seconds)
      const cell = requestsOf(cells, route, method)[status === null ? 0 : Math.floor(status / 100)]
      if (cell !== undefined) cell.value++
      if (errorCode !== null) countError(errorCode)
    },
  }
}
