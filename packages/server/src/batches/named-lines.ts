import { readMaximum } from '../edge/paid-task.ts'
import type { RouteCall } from '../edge/route.ts'
import type { NamedLines } from './manage-batches.ts'

/**
 * What the headers of a new batch say of its lines.
 *
 * @throws {ServiceError} 400 for a maximum that is no amount, and for a quote: it is for one request.
 */
export function namedLines({ request }: RouteCall): NamedLines {
  return { requestId: request.id, lineMost: readMaximum(request) }
}
