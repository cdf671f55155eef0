import { type JoinBuilder, type RawBuilder, sql } from 'kysely'
import { periodStart } from '../runtime/budget-period.ts'
import type { Schema } from './schema.ts'

/** When the period of the `budget` row at hand that contains `now` began, as SQL: names its row of `budget_window`. */
export function presentWindow(now: number): RawBuilder<number> {
  return sql<number>`case budget.period
    when 'daily' then ${sql.lit(periodStart('daily', now))}
    when 'weekly' then ${sql.lit(periodStart('weekly', now))}
    when 'monthly' then ${sql.lit(periodStart('monthly', now))}
    else 0 end`
}

type WindowJoin = JoinBuilder<Schema, 'budget' | 'budget_window'>

/** Joins a `budget` row with the row of `budget_window` of its present period. */
export const inPresentWindow =
  (now: number) =>
  (join: WindowJoin): WindowJoin =>
    join
      .onRef('budget_window.budget_id', '=', 'budget.budget_id')
      .on('budget_window.window_start', '=', presentWindow(now))
