import type { Row } from '../row.ts'
import { measureBilledRequest } from './billed-request.ts'

/** One request at a time, so that no commit is shared. Stated without a goal. */
export const billedOneConnection: Row = {
  number: 3,
  title: 'CPU per billed request at one connection',
  measure: async (context) => [
    ...(await measureBilledRequest(context, { row: 3, engine: 'sqlite', connections: 1, goal: null })),
    ...(await measureBilledRequest(context, { row: 3, engine: 'postgres', connections: 1, goal: null })),
  ],
}
