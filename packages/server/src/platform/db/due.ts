import { type RawBuilder, sql } from 'kysely'

/** What is due of rows that wait for a time. */
export interface DueTimes {
  /** What waits for this time or an earlier one. */
  readonly now: number
  /** What waits for a later time than this: none of its kind waits so long, so a clock that was ahead wrote it. */
  readonly beyond: number
}

/** Whether a row is due by the column that says when. Source: decision 0115 (a clock that leaps). */
export function isDue(column: string, { now, beyond }: DueTimes): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${beyond})`
}
