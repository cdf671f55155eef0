/** The invariant of the files of an archive: they are whole, and agree with all that stayed in the database. */
import type { ArchiveFileTable } from '../../platform/db/archive-schema.ts'
import type { TransferTable } from '../../platform/db/schema.ts'
import type { ArchivedRequest } from '../ledger/archived-request.ts'
import { listArchiveFiles, readCarried, readSettlements } from '../ledger/read-archive.ts'
import { problemOf } from '../ledger/audit-charges.ts'
import { BREACHES_MAX, type AuditContext, type Finding, type Invariant } from '../ledger/audit-query.ts'
import { carriedSumsOf } from '../ledger/carried-sums.ts'
import { ArchiveFileError, readRequests } from './archive-file.ts'

/** The invariant of the files in a folder. */
export function archiveFilesInvariant(folder: string): Invariant {
  return {
    name: 'archive files',
    promise: 'each file is the one that was written, and its records are what was charged and carried on',
    check: (context) => checkFiles(context, folder),
  }
}

async function checkFiles(context: AuditContext, folder: string): Promise<Finding> {
  const files = await listArchiveFiles(context.db)
  const breaches: string[] = []
  let records = 0
  for (const file of files) {
    const requests = await readChecked(folder, file)
    if (typeof requests === 'string') {
      breaches.push(requests)
      continue
    }
    records += requests.length
    breaches.push(...(await compareFile(context, file, requests)))
    if (breaches.length > BREACHES_MAX) break
  }
  return { figures: { files: files.length, records }, breaches: breaches.slice(0, BREACHES_MAX) }
}

/** The requests of a file, or what is wrong with it in words. */
async function readChecked(folder: string, file: ArchiveFileTable): Promise<readonly ArchivedRequest[] | string> {
  try {
    return await readRequests(folder, file)
  } catch (error) {
    if (error instanceof ArchiveFileError) return error.message
    throw error
  }
}

async function compareFile(
  { db }: AuditContext,
  file: ArchiveFileTable,
  requests: readonly ArchivedRequest[],
): Promise<readonly string[]> {
  const breaches: string[] = []
  const sums = carriedSumsOf(requests)
  const carried = await readCarried(db, file.file_id)
  if (!isSame(sums.usage, carried.usage) || !isSame(sums.budgets, carried.budgets)) {
    breaches.push(`the records of file ${file.file_id} add up to other sums than are carried on`)
  }
  const ids = requests.map(({ record }) => record.usage_id)
  const isOrdered = ids.every((id, at) => at === 0 || (ids[at - 1] ?? '') < id)
  if (!isOrdered || ids[0] !== file.first_id || ids.at(-1) !== file.last_id) {
    breaches.push(`the records of file ${file.file_id} are others than its range says`)
  }
  const transfers = await readSettlements(db, ids)
  for (const request of requests) {
    const problem = problemOfRequest(request, transfers.get(request.record.usage_id) ?? null)
    if (problem !== null) breaches.push(`archived usage record ${request.record.usage_id} ${problem}`)
  }
  return breaches
}

/** How a record contradicts its hold, its transfer or its prices, in words; null where it does not. */
function problemOfRequest({ record, hold }: ArchivedRequest, transfer: TransferTable | null): string | null {
  const { usage_id: id, charge, write_off: writeOff, cost } = record
  const isPlaced =
    hold.hold_id === id &&
    hold.account_id === record.account_id &&
    hold.key_id === record.key_id &&
    hold.type === record.type &&
    hold.model === record.model &&
    hold.placed_at === record.started_at
  if (!isPlaced) return 'tells of another request than its hold'
  const isBooked =
    transfer === null
      ? charge === 0n && writeOff === 0n && cost === 0n
      : transfer.account_id === record.account_id &&
        transfer.charge === charge &&
        transfer.write_off === writeOff &&
        transfer.cost === cost &&
        transfer.created_at === hold.ended_at
  if (!isBooked) return 'differs from its transfer'
  return problemOf({ ...record, amount: hold.amount, ended_at: hold.ended_at })
}

/** Whether there are the same rows, in any order. */
function isSame(left: readonly object[], right: readonly object[]): boolean {
  const textsOf = (rows: readonly object[]): string[] => rows.map(textOf).toSorted()
  return JSON.stringify(textsOf(left)) === JSON.stringify(textsOf(right))
}

function textOf(row: object): string {
  const columns = Object.entries(row).map(([name, value]) => `${name}=${String(value)}`)
  return columns.toSorted().join(' ')
}
