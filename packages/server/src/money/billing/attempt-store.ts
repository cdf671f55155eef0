import type { Database } from '../../platform/db/database.ts'
import type { AttemptStore } from './attempt-log.ts'

/** Makes it. */
export function createAttemptStore(database: Pick<Database, 'read' | 'write'>): AttemptStore {
  const { read } = database
  return {
    async write(requests) {
      const rows = requests.flatMap(({ requestId, endedAt, attempts }) =>
        attempts.map(({ upstream, upstreamModel, failure, generationId, cost }, at) => ({
          ...{ request_id: requestId, number: at + 1, ended_at: endedAt, upstream, upstream_model: upstreamModel },
          ...{ failure, generation_id: generationId, cost },
        })),
      )
      if (rows.length === 0) return
      await database.write([
        read
          .insertInto('request_attempt')
          .values(rows)
          .onConflict((conflict) => conflict.columns(['request_id', 'number']).doNothing())
          .compile(),
      ])
    },
    list(requestId) {
      return read
        .selectFrom('request_attempt')
        .select(['upstream', 'upstream_model as upstreamModel', 'failure', 'generation_id as generationId', 'cost'])
        .select('ended_at as endedAt')
        .where('request_id', '=', requestId)
        .orderBy('number')
        .execute()
    },
  }
}
