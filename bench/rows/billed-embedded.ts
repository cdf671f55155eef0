import type { Row } from '../row.ts'
import { measureBilledRequest } from './billed-request.ts'

/** Source of the goal: docs/benchmark.md, row 1. */
export const billedEmbedded: Row = {
  number: 1,
  title: 'CPU per billed request, embedded storage',
  measure: (context) => measureBilledRequest(context, { row: 1, engine: 'sqlite', connections: 64, goal: 1.6 }),
}
