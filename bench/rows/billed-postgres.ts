import type { Row } from '../row.ts'
import { measureBilledRequest } from './billed-request.ts'

/** The CPU of the gateway's process; that of PostgreSQL is not in it. Source of the goal: docs/benchmark.md, row 2. */
export const billedPostgres: Row = {
  number: 2,
  title: 'CPU per billed request, PostgreSQL',
  measure: (context) => measureBilledRequest(context, { row: 2, engine: 'postgres', connections: 64, goal: 2 }),
}
