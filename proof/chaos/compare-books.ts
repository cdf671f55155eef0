/** What clients were told = ledger = the upstream's invoice. Pure: rows in, differences out. */
import type { Books, TransferRow, UsageRow } from './books.ts'
import type { ClientKey } from './client-load.ts'
import type { ChargeOracle } from './expected-charge.ts'
import type { Attempt } from './hostile-client.ts'
import type { InvoiceLine } from './invoice-upstream.ts'

export interface Evidence {
  readonly attempts: readonly Attempt[]
  readonly invoice: readonly InvoiceLine[]
  readonly books: Books
  readonly keys: readonly ClientKey[]
  /** Granted to each account, in nanocredits. */
  readonly grants: ReadonlyMap<string, bigint>
  readonly oracle: ChargeOracle
}

interface Indexed extends Evidence {
  readonly usageById: ReadonlyMap<string, UsageRow>
  readonly transfersByHold: ReadonlyMap<string, readonly TransferRow[]>
  readonly lineByGeneration: ReadonlyMap<string, InvoiceLine>
  readonly attemptById: ReadonlyMap<string, Attempt>
}

type Check = (evidence: Indexed) => string[]

/** Streams of a revoked key end within so long, in milliseconds: a second by promise, the rest for a busy machine. */
const REVOCATION_MS = 6_000

function transfersOf({ transfersByHold }: Indexed, id: string): readonly TransferRow[] {
  return transfersByHold.get(id) ?? []
}

/** Every answer that a client received whole is in the ledger exactly once, with the charge that it was told. */
const toldIsBooked: Check = (evidence) =>
  evidence.attempts
    .filter(({ end }) => end === 'whole')
    .flatMap((attempt) => {
      const id = attempt.requestId ?? 'without an id'
      const usage = evidence.usageById.get(id)
      if (usage === undefined) return [`answer ${id} was received whole and is not in the ledger`]
      const charges = transfersOf(evidence, id).filter(({ charge }) => charge > 0n)
      const booked = charges.reduce((sum, { charge }) => sum + charge, 0n)
      const isOnce = charges.length === (attempt.charge === 0n ? 0 : 1)
      if (isOnce && usage.charge === attempt.charge && booked === attempt.charge) return []
      return [`answer ${id} told ${attempt.charge}, its record ${usage.charge}, ${charges.length} transfers ${booked}`]
    })

/** No request and no generation is charged twice. */
const nothingTwice: Check = ({ transfersByHold, books }) => {
  const seen = new Map<string, string>()
  const doubled = books.usage.flatMap(({ generation_id: generation, usage_id: id }) => {
    if (generation === null) return []
    const other = seen.get(generation)
    seen.set(generation, id)
    return other === undefined ? [] : [`generation ${generation} is in the records ${other} and ${id}`]
  })
  const transfers = [...transfersByHold].flatMap(([id, rows]) =>
    rows.length > 1 ? [`hold ${id} has ${rows.length} transfers`] : [],
  )
  return [...doubled, ...transfers]
}

/**
 * Every charge belongs to a question that the upstream saw, of the client who pays it, and is not above what it
 * may cost.
 */
const chargesAreInvoiced: Check = (evidence) =>
  evidence.books.usage
    .filter(({ charge }) => charge > 0n)
    .flatMap((usage) => {
      const line = evidence.lineByGeneration.get(usage.generation_id ?? '')
      if (line === undefined) return [`record ${usage.usage_id} is charged for a question that no upstream saw`]
      const attempt = evidence.attemptById.get(usage.usage_id)
      if (attempt !== undefined && attempt.tag !== line.tag) {
        return [`record ${usage.usage_id} of question ${attempt.tag} is charged for question ${line.tag}`]
      }
      const most = evidence.oracle.most(line)
      return usage.charge > most ? [`record ${usage.usage_id} is charged ${usage.charge}; at most ${most} is due`] : []
    })

/** What came whole costs what invoice and card say, to the digit; what was not covered is written off. */
const chargesAreExact: Check = (evidence) =>
  evidence.attempts
    .filter(({ end, finishReason }) => end === 'whole' && finishReason !== 'length')
    .flatMap(({ requestId, text }) => {
      const usage = evidence.usageById.get(requestId ?? '')
      const line = evidence.lineByGeneration.get(usage?.generation_id ?? '')
      if (usage === undefined || line === undefined) return []
      const due = evidence.oracle.exact(line)
      const differences: string[] = []
      if (due !== null && usage.charge + usage.write_off !== due) {
        differences.push(`record ${requestId} has ${usage.charge} + ${usage.write_off} written off; ${due} is due`)
      }
      const sent = line.plan.words.join('')
      if (line.plan.behaviour === 'whole' && text !== sent) {
        differences.push(`answer ${requestId} says ${text.length} characters where the upstream sent ${sent.length}`)
      }
      return differences
    })

/** Nothing that the upstream delivered whole and the client received whole is free. */
const nothingDeliveredIsFree: Check = (evidence) =>
  evidence.attempts
    .filter(({ end }) => end === 'whole')
    .flatMap(({ requestId }) => {
      const usage = evidence.usageById.get(requestId ?? '')
      const line = evidence.lineByGeneration.get(usage?.generation_id ?? '')
      const isFree = usage?.charge === 0n && usage.write_off === 0n
      return isFree && line?.isWhole === true ? [`answer ${requestId} was delivered whole and is free`] : []
    })

/** A client that got an error before anything was delivered pays nothing. */
const failedIsFree: Check = (evidence) =>
  evidence.attempts
    .filter(({ end }) => end === 'refused')
    .flatMap(({ requestId, errorCode, status }) => {
      const charge = evidence.usageById.get(requestId ?? '')?.charge ?? 0n
      return charge === 0n ? [] : [`request ${requestId} was refused (${status} ${errorCode}) and is charged ${charge}`]
    })

/**
 * The gateway asks the upstream no more often than the clients asked. What was refused with 400 was not worked on: it
 * may be sent once more without what the gateway has added. Source: decision 0117.
 */
const noRepeats: Check = ({ attempts, invoice }) => {
  const asked = new Map<number, number>()
  for (const { tag } of attempts) asked.set(tag, (asked.get(tag) ?? 0) + 1)
  const seen = new Map<number, number>()
  const refused = new Set<number>()
  for (const { tag, plan } of invoice) {
    seen.set(tag, (seen.get(tag) ?? 0) + 1)
    if (plan.behaviour === 'error_status' && plan.status === 400) refused.add(tag)
  }
  return [...seen].flatMap(([tag, count]) => {
    const sent = asked.get(tag) ?? 0
    const isTooOften = count > (refused.has(tag) ? 2 * sent : sent)
    return isTooOften ? [`question ${tag} was sent ${sent} times and reached the upstream ${count} times`] : []
  })
}

/** A revoked key starts nothing, and its streams end. */
const revokedIsRefused: Check = ({ attempts, keys }) =>
  attempts.flatMap(({ keyIndex, startedAt, endedAt, status, requestId, end, stream }) => {
    const revokedAt = keys[keyIndex]?.revokedAt ?? Number.POSITIVE_INFINITY
    if (startedAt > revokedAt && status === 200) return [`request ${requestId} was served with a revoked key`]
    const outlived = stream && end === 'whole' && endedAt > revokedAt + REVOCATION_MS
    return outlived ? [`stream ${requestId} outlived the revocation of its key`] : []
  })

/** No hold is open, balances are grants less charges, and no attempt hung or made no sense. */
const allIsSettled: Check = ({ books, grants, attempts }) => {
  const open = books.holds.filter(({ state }) => state === 'held').map(({ hold_id: id }) => `hold ${id} is open`)
  const balances = books.balances.flatMap(({ account_id: id, posted, held }) => {
    const charged = books.usage.filter((row) => row.account_id === id).reduce((sum, row) => sum + row.charge, 0n)
    const due = (grants.get(id) ?? 0n) - charged
    return posted === due && held === 0n ? [] : [`account ${id} has ${posted} posted and ${held} held; ${due} is due`]
  })
  const faults = attempts
    .filter(({ end }) => end === 'hung' || end === 'nonsense')
    .map(({ end, tag, requestId, status }) => `question ${tag} (${requestId}, status ${status}) ${end}`)
  const internal = attempts
    .filter(({ errorCode }) => errorCode === 'internal_error')
    .map(({ requestId }) => `request ${requestId} was answered internal_error`)
  return [...open, ...balances, ...faults, ...internal]
}

/** Every promise, by the words in which it is printed. */
export const promises: Readonly<Record<string, Check>> = {
  'what clients were told is in the ledger, once': toldIsBooked,
  'nothing is charged twice': nothingTwice,
  'every charge is for a question that the upstream saw': chargesAreInvoiced,
  'whole answers cost what invoice and card say, and say what was sent': chargesAreExact,
  'nothing delivered whole is free': nothingDeliveredIsFree,
  'failed is free': failedIsFree,
  'no question reaches the upstream by itself': noRepeats,
  'a revoked key is refused': revokedIsRefused,
  'all is settled, balances are grants less charges': allIsSettled,
}

function groupTransfers(transfers: readonly TransferRow[]): ReadonlyMap<string, readonly TransferRow[]> {
  const groups = new Map<string, TransferRow[]>()
  for (const transfer of transfers) {
    if (transfer.hold_id === null) continue
    const group = groups.get(transfer.hold_id) ?? []
    group.push(transfer)
    groups.set(transfer.hold_id, group)
  }
  return groups
}

/** Checks every promise. @returns the differences of each. */
export function compareBooks(evidence: Evidence): ReadonlyMap<string, readonly string[]> {
  const { attempts, books, invoice } = evidence
  const indexed: Indexed = {
    ...evidence,
    usageById: new Map(books.usage.map((row) => [row.usage_id, row])),
    transfersByHold: groupTransfers(books.transfers),
    lineByGeneration: new Map(invoice.map((line) => [line.generationId, line])),
    attemptById: new Map(
      attempts.flatMap((attempt) => (attempt.requestId === null ? [] : [[attempt.requestId, attempt]])),
    ),
  }
  return new Map(Object.entries(promises).map(([name, check]) => [name, check(indexed)]))
}
