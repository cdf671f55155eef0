import { consoleEndpoints, type Exact, type TeamUsageRecord, USAGE_PAGE_MAX } from '@svc/contract'
import { consoleApi } from '../../api/client.ts'
import { usageFilters } from '../../api/team.ts'
import type { UsageSearch } from '../../app/search.ts'

/** Records of one file at most; spreadsheets take more, a browser's memory should not have to. */
export const EXPORT_MAX = 50_000

const COLUMNS = [
  'request_id',
  'created',
  'type',
  'model',
  'upstream_model',
  'key_name',
  'key_id',
  'status',
  'error_code',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'credits_charged',
  'basis',
  'estimated',
  'latency_ms',
] as const satisfies readonly (keyof TeamUsageRecord)[]

/** A field as RFC 4180 has it. A spreadsheet would run what begins like a formula, so such text gets an apostrophe. */
function field(value: string | number | boolean | null): string {
  if (value === null) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function row(record: Exact<TeamUsageRecord>): string {
  return COLUMNS.map((column) =>
    field(column === 'created' ? new Date(record.created * 1_000).toISOString() : record[column]),
  ).join(',')
}

/** Everything that the filters select, as CSV, newest first; at most `EXPORT_MAX` records. */
export async function exportUsage(teamId: string, search: UsageSearch): Promise<{ csv: string; isWhole: boolean }> {
  const lines = [COLUMNS.join(',')]
  let after: string | null = null
  for (;;) {
    const page: { data: Exact<TeamUsageRecord>[]; last_id: string | null; has_more: boolean } = await consoleApi.call(
      consoleEndpoints.listTeamUsage,
      {
        path: { team_id: teamId },
        query: { ...usageFilters(search), limit: USAGE_PAGE_MAX, ...(after === null ? {} : { after }) },
      },
    )
    lines.push(...page.data.map(row))
    after = page.last_id
    const isFull = lines.length > EXPORT_MAX
    if (!page.has_more || isFull) return { csv: `${lines.join('\r\n')}\r\n`, isWhole: !page.has_more }
  }
}
