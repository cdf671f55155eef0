import {
  creditsJson,
  nanocreditsOf,
  type Printed,
  type UsageListReply,
  type UsageQuery,
  type UsageReply,
} from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { renderPendingUsage, renderUsageRecord } from './render-usage.ts'
import type { UsageScope } from './usage-scope.ts'
import { splitSpan, type UsageSpan } from './usage-span.ts'
import type { UsageFilter } from './usage-filter.ts'
import type { UsageRow, UsageStore } from './usage-store.ts'
import { addTotals, NO_USAGE, type UsageTotals } from './usage-totals.ts'

export interface ReadUsageDeps {
  readonly store: UsageStore
}

/**
 * One page of the requests of the key in use, newest first, with the totals over everything that the filters select.
 * Times select by when a request began; `from` is in, `to` is out.
 *
 * @throws {ServiceError} `invalid_value` when `from` is not before `to`.
 */
export async function listUsage(
  deps: ReadUsageDeps,
  { keyId }: Pick<Caller, 'keyId'>,
  query: UsageQuery,
): Promise<Printed<UsageListReply>> {
  const { rows, ...page } = await findUsage(deps, { keyId }, query)
  return { ...page, data: rows.map(renderUsageRecord) }
}

/**
 * The same for any scope, with the rows as stored.
 *
 * @throws {ServiceError} `invalid_value` when `from` is not before `to`.
 */
export async function findUsage(
  { store }: ReadUsageDeps,
  scope: UsageScope,
  query: UsageQuery,
): Promise<Omit<Printed<UsageListReply>, 'data'> & { readonly rows: readonly UsageRow[] }> {
  const { filter, span } = selectionOf(scope, query)
  // One more than asked for tells whether there is another page.
  const page = { after: query.after ?? null, limit: query.limit + 1 }
  const [rows, totals] = await Promise.all([store.list(filter, span, page), sumUsage(store, filter, span)])
  const shown = rows.slice(0, query.limit)
  return {
    object: 'list',
    rows: shown,
    first_id: shown[0]?.usage_id ?? null,
    last_id: shown.at(-1)?.usage_id ?? null,
    has_more: rows.length > query.limit,
    totals: {
      requests: totals.requests,
      credits_charged: creditsJson(nanocreditsOf(totals.charge)),
      prompt_tokens: totals.promptTokens,
      completion_tokens: totals.completionTokens,
    },
  }
}

/**
 * What the filters of a query select.
 *
 * @throws {ServiceError} `invalid_value` when `from` is not before `to`.
 */
export function selectionOf(
  scope: UsageScope,
  query: Pick<UsageQuery, 'from' | 'to' | 'type' | 'model' | 'status'>,
): { readonly filter: UsageFilter; readonly span: UsageSpan } {
  const span: UsageSpan = { from: query.from ?? null, to: query.to ?? null }
  if (span.from !== null && span.to !== null && span.from >= span.to) {
    throw new ServiceError('invalid_value', '`to` must be later than `from`.', { param: 'to' })
  }
  const filter: UsageFilter = {
    scope,
    ...(query.type === undefined ? {} : { type: query.type }),
    ...(query.model === undefined ? {} : { model: query.model }),
    ...(query.status === undefined ? {} : { status: query.status }),
  }
  return { filter, span }
}

/**
 * What became of one request of the key in use: `pending` while its hold is open, then `final`.
 *
 * @throws {ServiceError} `usage_not_found` when there is none, or when it is another key's.
 */
export async function readUsage(
  { store }: ReadUsageDeps,
  { keyId }: Pick<Caller, 'keyId'>,
  requestId: string,
): Promise<Printed<UsageReply>> {
  const id = requestId.toLowerCase()
  const hold = await store.findOpenHold({ keyId }, id)
  if (hold !== null) return renderPendingUsage(hold)
  const row = await store.find({ keyId }, id)
  if (row !== null) return renderUsageRecord(row)
  const text = `No request of this key has the id ${JSON.stringify(requestId)}.${await store.archivedHint(id)}`
  throw new ServiceError('usage_not_found', text, { param: 'request_id' })
}

async function sumUsage(store: UsageStore, filter: UsageFilter, span: UsageSpan): Promise<UsageTotals> {
  if (filter.status !== undefined) return store.sumRecords(filter, span)
  const { days, ends } = splitSpan(span)
  const parts = await Promise.all([
    ...(days === null ? [] : [store.sumDays(filter, days.first, days.end)]),
    ...ends.map((end) => store.sumRecords(filter, end)),
  ])
  return parts.reduce(addTotals, NO_USAGE)
}
