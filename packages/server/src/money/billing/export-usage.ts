/** Requests as a file for spreadsheets. */
import type { TeamUsageFileQuery } from '@svc/contract'
import { formatCredits } from '@svc/contract'
import { csvField } from './csv-field.ts'
import { type ReadUsageDeps, selectionOf } from './read-usage.ts'
import { scopeOf, type UsageReach } from './read-team-usage.ts'
import type { UsageRow } from './usage-store.ts'

/** Rows that are read at once. Source: some milliseconds, after which others run. */
const PAGE_ROWS = 250

type Field = string | number | null

const COLUMNS: readonly (readonly [name: string, read: (row: UsageRow) => Field])[] = [
  ['request_id', (row) => row.usage_id],
  ['created', (row) => new Date(row.started_at).toISOString()],
  ['type', (row) => row.type],
  ['model', (row) => row.model],
  ['upstream_model', (row) => row.upstream_model],
  ['key_name', (row) => row.key_name],
  ['key_id', (row) => row.key_id],
  ['status', (row) => row.status],
  ['error_code', (row) => row.error_code],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['cached_tokens', (row) => row.cached_tokens],
  ['reasoning_tokens', (row) => row.reasoning_tokens],
  ['credits_charged', (row) => formatCredits(row.charge)],
  ['basis', (row) => row.basis],
  ['estimated', (row) => (row.estimated === 1 ? 'true' : 'false')],
  ['latency_ms', (row) => row.latency_ms],
  ['job_id', (row) => row.job_id],
]

const lineOf = (fields: readonly string[]): string => `${fields.join(',')}\r\n`

/**
 * Everything that the filters select, newest first, a page of rows at a time: the file may be larger than memory. What
 * ends after the export began is not in it.
 *
 * @throws {ServiceError} `invalid_value` when `from` is not before `to`; at the call, before the first row.
 */
export function exportTeamUsage(
  { store }: ReadUsageDeps,
  reach: UsageReach,
  { key, ...query }: TeamUsageFileQuery,
): AsyncGenerator<string, void, undefined> {
  const { filter, span } = selectionOf(scopeOf(reach, key), query)
  async function* lines(): AsyncGenerator<string, void, undefined> {
    yield lineOf(COLUMNS.map(([name]) => name))
    for (let after: string | null = null; ;) {
      const rows: readonly UsageRow[] = await store.list(filter, span, { after, limit: PAGE_ROWS })
      const last = rows.at(-1)
      if (last === undefined) return
      yield rows.map((row) => lineOf(COLUMNS.map(([, read]) => csvField(read(row))))).join('')
      if (rows.length < PAGE_ROWS) return
      after = last.usage_id
    }
  }
  return lines()
}
