/**
 * Compares the records of a day with an invoice that names each generation. Both sides are read in parts by the hash of
 * their ids, as often as needed, so that no file is too large for the memory.
 */
import { costAtPar } from '../../pricing/usd.ts'
import { nanocreditsOf } from '@svc/contract'
import type { BilledRequest } from '../billing/read-billed-requests.ts'
import { type DaySpan, placeIn } from './day-span.ts'
import type { InvoiceLine } from './invoice.ts'
import { addSides, Findings, NO_ROWS, type ReconciliationReport, type Side } from './report.ts'

export interface InvoiceSources {
  /** Reads the records from the beginning, each time that it is called. */
  readonly records: () => AsyncIterable<readonly BilledRequest[]>
  /** The same of the invoice. */
  readonly lines: () => AsyncIterable<InvoiceLine>
}

/** Ids that are compared at once. Source: own choice, some hundred megabytes. */
const PART_IDS = 500_000
/** Requests that one difference names. */
const NAMED_MAX = 5

/** One id, or several of one request, on both sides. */
interface Pair {
  readonly generationId: string
  here: bigint
  hereRows: number
  /** Where in the day the records are: the most certain of them. */
  place: 'inside' | 'edge' | 'outside' | null
  readonly requestIds: string[]
  /** Ids that its lines may have. */
  ids: number
  /** By how many nanocredits the sum of the lines may differ. */
  slack: bigint
  there: bigint
  thereRows: number
  isLineInDay: boolean
  model: string | null
}

interface Counted {
  here: Side
  there: Side
  atEdge: Side
}

/** @param partIds ids that are compared at once. */
export async function compareInvoice(
  span: DaySpan,
  sources: InvoiceSources,
  partIds: number = PART_IDS,
): Promise<Pick<ReconciliationReport, 'here' | 'there' | 'atEdge' | 'unnamed' | 'kinds' | 'differences' | 'notes'>> {
  const { groups, unnamed, named } = await groupRecords(span, sources)
  const { lines, others } = await countLines(span, sources)
  const parts = Math.max(1, Math.ceil((named + lines) / partIds))
  const findings = new Findings()
  const counted: Counted = { here: NO_ROWS, there: NO_ROWS, atEdge: NO_ROWS }
  for (let part = 0; part < parts; part++) {
    const isOfPart = (id: string): boolean => parts === 1 || hashOf(id) % parts === part
    const pairs = await pairUp(span, sources, { groups, isOfPart })
    for (const pair of pairs.values()) judge(pair, findings, counted)
  }
  const notes = others === 0 ? [] : [`${others} rows of the file are of other days and were used only to find records.`]
  return { ...counted, unnamed, ...findings.end(), notes }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Requests with several generations are one pair, under the first of them. There are few. */
async function groupRecords(span: DaySpan, { records }: InvoiceSources) {
  const groups = new Map<string, string>()
  let unnamed = NO_ROWS
  let named = 0
  for await (const step of records()) {
    for (const { generationIds, cost, startedAt, endedAt } of step) {
      const [first, ...others] = generationIds
      named += generationIds.length
      for (const id of others) groups.set(id, first ?? id)
      if (first === undefined && cost > 0n && placeIn(span, startedAt, endedAt) !== 'outside') {
        unnamed = addSides(unnamed, { rows: 1, cost: nanocreditsOf(cost) })
      }
    }
  }
  return { groups, unnamed, named }
}

async function countLines(span: DaySpan, { lines }: InvoiceSources) {
  let near = 0
  let others = 0
  for await (const { at } of lines()) {
    if (isNear(span, at)) near++
    if (!isInDay(span, at)) others++
  }
  return { lines: near, others }
}

const isInDay = ({ start, end }: DaySpan, at: number | null): boolean => at === null || (at >= start && at < end)

/** What a record of the day can have been billed as. */
const isNear = ({ from, to, end, start }: DaySpan, at: number | null): boolean =>
  at === null || (at >= from && at < Math.max(to, end + (end - start)))

async function pairUp(
  span: DaySpan,
  { records, lines }: InvoiceSources,
  { groups, isOfPart }: { groups: ReadonlyMap<string, string>; isOfPart: (id: string) => boolean },
): Promise<ReadonlyMap<string, Pair>> {
  const pairs = new Map<string, Pair>()
  const pairOf = (id: string): Pair | null => {
    const key = groups.get(id) ?? id
    if (!isOfPart(key)) return null
    const known = pairs.get(key)
    if (known !== undefined) return known
    const sums = { here: 0n, hereRows: 0, there: 0n, thereRows: 0, ids: 1, slack: 0n }
    const pair: Pair = { generationId: key, ...sums, place: null, requestIds: [], isLineInDay: false, model: null }
    pairs.set(key, pair)
    return pair
  }
  for await (const step of records()) {
    for (const request of step) {
      const [first] = request.generationIds
      const pair = first === undefined ? null : pairOf(first)
      if (pair !== null) addRecord(pair, request, span)
    }
  }
  for await (const line of lines()) {
    if (!isNear(span, line.at)) continue
    const pair = pairOf(line.generationId)
    if (pair !== null) addLine(pair, line, span)
  }
  return pairs
}

const CERTAINTY = { inside: 2, edge: 1, outside: 0 } as const

function addRecord(pair: Pair, request: BilledRequest, span: DaySpan): void {
  const place = placeIn(span, request.startedAt, request.endedAt)
  if (pair.place === null || CERTAINTY[place] > CERTAINTY[pair.place]) pair.place = place
  pair.here += request.cost
  pair.hereRows++
  pair.ids = Math.max(pair.ids, request.generationIds.length)
  pair.slack += BigInt(request.roundings)
  pair.model ??= request.model
  if (pair.requestIds.length < NAMED_MAX) pair.requestIds.push(request.requestId)
}

function addLine(pair: Pair, { cost, at, model }: InvoiceLine, span: DaySpan): void {
  pair.there += costAtPar(cost)
  pair.thereRows++
  pair.isLineInDay ||= isInDay(span, at)
  pair.model = model ?? pair.model
}

/** What costs nothing on both sides is no matter of money, be it here alone or there alone. */
function judge(pair: Pair, findings: Findings, counted: Counted): void {
  const here: Side = { rows: pair.hereRows, cost: nanocreditsOf(pair.here) }
  const there: Side = { rows: pair.thereRows, cost: nanocreditsOf(pair.there) }
  const { generationId, requestIds, model, place } = pair
  const tell = (kind: Parameters<Findings['add']>[0]['kind']): void =>
    findings.add({ kind, generationId, requestIds, model, here, there })
  if (there.rows === 0) {
    if (place === 'edge' && here.cost > 0n) counted.atEdge = addSides(counted.atEdge, here)
    if (place !== 'inside') return
    counted.here = addSides(counted.here, here)
    if (here.cost > 0n) tell('missing_there')
    return
  }
  if (place !== 'inside' && !pair.isLineInDay) return
  counted.here = addSides(counted.here, here)
  counted.there = addSides(counted.there, there)
  if (here.rows === 0) {
    if (there.cost > 0n) tell('missing_here')
  } else if (here.rows > 1) tell('doubled_here')
  else if (there.rows > pair.ids) tell('doubled_there')
  else if (!isSameCost(pair)) tell('cost_differs')
}

/** Amounts that were rounded up one by one can be a little more than their sum is. */
function isSameCost({ here, there, slack }: Pair): boolean {
  const difference = here > there ? here - there : there - here
  return difference <= slack
}
