import { sql, type RawBuilder } from 'kysely'
import { periodStart } from '../runtime/budget-period.ts'

/** When the period of the `budget` row at hand that contains `now` began, as SQL: names its row of `budget_window`. */
export function presentWindow(now: number): RawBuilder<number> {
  return sql<number>`case budget.period
    when 'daily' then ${sql.lit(periodStart('daily', now))}
    when 'weekly' then ${sql.lit(periodStart('weekly', now))}
    when 'monthly' then ${sql.lit(periodStart('monthly', now))}
    else 0 end`
}
