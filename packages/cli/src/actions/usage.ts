/** `svc usage`: what was spent, on what, and why that much. */
import {
  type Exact,
  parseInstant,
  shortDecimal,
  USAGE_PAGE_MAX,
  type UsageListReply,
  type UsageRecordBody,
} from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { countText } from '../count-text.ts'
import { creditsText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { printTable } from '../terminal/print-table.ts'
import { csvLine } from '../terminal/csv.ts'

export interface UsageOptions {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly model?: string | undefined
  readonly type?: UsageRecordBody['type'] | undefined
  readonly status?: UsageRecordBody['status'] | undefined
  readonly limit?: number | undefined
  readonly all?: boolean | undefined
  readonly csv?: boolean | undefined
}

type Page = Exact<UsageListReply>
type Record = Page['data'][number]

const LIMIT_DEFAULT = 20

export async function usage(context: Context, options: UsageOptions): Promise<void> {
  const api = await context.api()
  const { terminal } = context
  const limit = options.all === true ? Number.POSITIVE_INFINITY : (options.limit ?? LIMIT_DEFAULT)
  const { records, page } = await readPages(api, options, { limit, signal: terminal.signal })
  if (context.options.json === true) {
    const ends = { first_id: records[0]?.id ?? null, last_id: records.at(-1)?.id ?? null }
    await printJson(terminal.out, { ...page, data: records, ...ends })
  } else if (options.csv === true) await printCsv(context, records)
  else await printRecords(context, records, page)
}

/** Follows the pages until the limit or the end. The totals are those of the filters, not of the pages. */
async function readPages(
  api: ApiConnection,
  options: UsageOptions,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<{ readonly records: readonly Record[]; readonly page: Page }> {
  const filters = {
    ...(options.since === undefined ? {} : { from: instantOf(options.since, Date.now()) }),
    ...(options.until === undefined ? {} : { to: instantOf(options.until, Date.now()) }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.type === undefined ? {} : { type: options.type }),
    ...(options.status === undefined ? {} : { status: options.status }),
  }
  const records: Record[] = []
  let after: string | null = null
  for (;;) {
    const size = Math.min(USAGE_PAGE_MAX, limit - records.length)
    const query = { ...filters, limit: size, ...(after === null ? {} : { after }) }
    const page: Page = await api.client.call(api.endpoints.listUsage, { query }, { signal })
    records.push(...page.data)
    after = page.last_id
    if (!page.has_more || records.length >= limit || after === null) return { records, page }
  }
}

const UNITS_MS: Readonly<{ [unit: string]: number }> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * A point in time: "7d" is seven days ago, anything else a date or time as the gateway reads it.
 *
 * @throws {CommandError} when it is neither.
 */
export function instantOf(text: string, now: number): string {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) {
    return new Date(now - Number(count) * (UNITS_MS[unit] ?? 0)).toISOString()
  }
  if (parseInstant(text) !== null) return text
  throw new CommandError(`"${text}" is not a time.`, {
    advice: 'Write a span such as 24h, 7d or 2w, or a date such as 2026-11-01.',
    exitCode: exitCodes.wrongUsage,
  })
}

/** What became of a request, and why where it failed. */
function statusText({ status, error_code: code }: Record): string {
  return status === 'error' ? (code ?? status) : status
}

async function printRecords(context: Context, records: readonly Record[], page: Page): Promise<void> {
  const { terminal } = context
  if (records.length === 0) {
    await terminal.notes.line('No requests.')
    return
  }
  await printTable(terminal.out, records, [
    { title: 'WHEN', cell: (record) => timeText(record.created) },
    { title: 'STATUS', cell: statusText },
    { title: 'CREDITS', cell: (record) => shortDecimal(record.credits_charged), align: 'right' },
    { title: 'TYPE', cell: (record) => record.type, dropAt: 2 },
    { title: 'QUANTITY', cell: quantityText, align: 'right', dropAt: 1 },
    { title: 'MODEL', cell: (record) => record.model, shrinkTo: 14, keepsEnd: true },
    { title: 'REQUEST', cell: (record) => record.request_id, shrinkTo: 8, keepsEnd: true, dropAt: 3 },
  ])
  const { requests, credits_charged: charged } = page.totals
  const more = requests > records.length ? `, ${records.length} shown` : ''
  await terminal.notes.line(
    `${requests === 1 ? '1 request' : `${requests} requests`}${more}, ${creditsText(charged)} with this key`,
  )
}

export function quantityText(record: Pick<Record, 'type' | 'units' | 'prompt_tokens' | 'completion_tokens'>): string {
  if (record.units !== null) return unitsText(record.units)
  if (record.prompt_tokens === null) return ''
  if (record.type !== 'chat') return `${countText(record.prompt_tokens)} tokens`
  return `${countText(record.prompt_tokens)} + ${countText(record.completion_tokens ?? 0)} tokens`
}

function unitsText({ quantity, kind }: NonNullable<Record['units']>): string {
  const unit = quantity === 1 ? kind.replace(/s$/, '') : kind
  // Bytes of the text that was spoken, which some models are sold by; not of the audio.
  return `${countText(quantity)} ${unit}${kind === 'bytes' ? ' of text' : ''}`
}

/** In the user's own time zone. */
export function timeText(seconds: number): string {
  const time = new Date(seconds * 1_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}

const CSV_FIELDS = [
  'request_id',
  'created',
  'type',
  'model',
  'upstream_model',
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
] as const

async function printCsv(context: Context, records: readonly Record[]): Promise<void> {
  const { out } = context.terminal
  await out.text(csvLine([...CSV_FIELDS, 'quantity', 'unit']))
  for (const record of records) {
    const fields = CSV_FIELDS.map((name) =>
      name === 'created' ? new Date(record.created * 1_000).toISOString() : record[name as keyof Record],
    )
    await out.text(csvLine([...fields, record.units?.quantity ?? null, record.units?.kind ?? null]))
  }
}
