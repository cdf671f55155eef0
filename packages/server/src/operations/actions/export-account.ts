import { formatCredits } from '@svc/contract'
import { keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { ExportRow, ExportSection } from './account-export-store.ts'
import type { OperationsDeps } from './operations-deps.ts'

export interface ExportDeps extends Pick<OperationsDeps, 'accounts' | 'journal' | 'clock'> {
  /** What budgets have counted is that of the period which contains `now`. */
  readonly sectionsOf: (accountId: string, now: number) => readonly ExportSection[]
}

/** Rows that are read at a time: so much is in memory, however long the account's history is. */
const PAGE_ROWS = 250

/**
 * Everything that belongs to an account as one JSON document, piece by piece. Amounts are credits as exact text, times
 * are ISO 8601. Hashes of keys, answers and recipients of letters are not in it; prompts are stored nowhere.
 *
 * @returns null for an account that is not there.
 */
export async function exportAccount(
  deps: ExportDeps,
  by: Operator,
  { accountId, reason }: { readonly accountId: string; readonly reason: string },
): Promise<AsyncGenerator<string, void, undefined> | null> {
  const account = await deps.accounts.find(accountId)
  if (account === null) return null
  const head = {
    format: 'svc-account-export/1',
    exported_at: new Date(deps.clock.now()).toISOString(),
    account: renderRow({
      account_id: account.accountId,
      ...{ name: account.name, status: account.status, created_at: account.createdAt, closed_at: account.closedAt },
      ...{ posted: account.posted, held: account.held },
    }),
  }
  // Noted before the first byte leaves: who breaks it off has seen what came until then.
  await keepJournal(
    deps,
    by,
    { action: 'account.export', accountId, reason },
    { work: () => Promise.resolve(), outcomeOf: () => 'done' },
  )
  return write(JSON.stringify(head), deps.sectionsOf(accountId, deps.clock.now()))
}

async function* write(head: string, sections: readonly ExportSection[]): AsyncGenerator<string, void, undefined> {
  yield head.slice(0, -1)
  for (const section of sections) {
    yield `,\n${JSON.stringify(section.name)}:[`
    yield* writeRows(section)
    yield ']'
  }
  yield '}\n'
}

async function* writeRows(section: ExportSection): AsyncGenerator<string, void, undefined> {
  let after: string | null = null
  for (;;) {
    const rows: readonly ExportRow[] = await section.page(after, PAGE_ROWS)
    const texts = rows.map(({ id: _id, ...row }) => `\n${JSON.stringify(renderRow(row))}`)
    if (texts.length > 0) yield (after === null ? '' : ',') + texts.join(',')
    if (rows.length < PAGE_ROWS) return
    after = String(rows.at(-1)?.['id'])
  }
}

const TIME = /_(?:at|time)$/
/** Columns that hold JSON text, or several words. */
const JSON_COLUMNS = new Set(['metadata', 'models', 'pricing', 'document'])

function renderRow(row: ExportRow): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [renderName(name), renderValue(name, value)]))
}

function renderName(name: string): string {
  return name === 'limit_nanocredits' ? 'limit' : name
}

function renderValue(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return formatCredits(value)
  if (TIME.test(name) && typeof value === 'number') return new Date(value).toISOString()
  if (JSON_COLUMNS.has(name) && typeof value === 'string') return JSON.parse(value)
  return value
}
