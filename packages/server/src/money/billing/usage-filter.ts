/** Which records and roll-ups a question about usage is about. */
import type { UsageStatus } from '@svc/contract'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../../platform/db/schema.ts'
import { inScope, type UsageScope } from './usage-scope.ts'
import type { UsageSpan } from './usage-span.ts'
import { type DaySpan, endedAs, type IdSpan } from './usage-steps.ts'

/** What a list of usage is narrowed to. Absent parts do not narrow. */
export interface UsageFilter {
  readonly scope: UsageScope
  readonly type?: string
  readonly model?: string
  /** Of single records alone: the roll-ups of days do not know it. */
  readonly status?: UsageStatus
}

/** The records of a part. Bounds on the id beside those on the start, because the index is in the order of ids. */
export function recordsIn(
  where: ExpressionBuilder<Schema, 'usage_record'>,
  { scope, type, model, status }: UsageFilter,
  { span: { from, to }, ids }: { readonly span: UsageSpan; readonly ids: IdSpan },
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [
    ...[inScope('usage_record', scope), where('usage_id', '>=', ids.from), where('usage_id', '<', ids.below)],
  ]
  if (from !== null) conditions.push(where('started_at', '>=', from))
  if (to !== null) conditions.push(where('started_at', '<', to))
  if (type !== undefined) conditions.push(where('type', '=', type))
  if (model !== undefined) conditions.push(where('model', '=', model))
  return where.and([...conditions, ...endedAs(status)])
}

/** The roll-ups of days. */
export function dailyIn({ scope, type, model }: UsageFilter, { first, end }: DaySpan) {
  return (where: ExpressionBuilder<Schema, 'usage_daily'>): Expression<SqlBool> =>
    where.and([
      ...[inScope('usage_daily', scope), where('day', '>=', first), where('day', '<', end)],
      ...(type === undefined ? [] : [where('type', '=', type)]),
      ...(model === undefined ? [] : [where('model', '=', model)]),
    ])
}
