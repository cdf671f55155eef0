/**
 * Settlements as lines of a file: a checksum, a blank, and the operation as JSON. Nothing is in them that the ledger
 * would not write into the database: no prompt, no answer, no key.
 */
import { crc32 } from 'node:zlib'
import type { SettleHold } from '../ledger/operations.ts'

/** What a file of settlements says. */
export interface JournalContent {
  /** In the order in which they were written. */
  readonly records: readonly SettleHold[]
  /** Whole lines that are not what was written. */
  readonly damagedLines: number
  /** Whether the last line breaks off: its writer died over it, and had answered no client. */
  readonly isTorn: boolean
}

const LINE = /^([0-9a-f]{8}) (\{.*\})$/

function checksumOf(json: string): string {
  return crc32(json).toString(16).padStart(8, '0')
}

const marked = (amount: bigint): { readonly nanocredits: string } => ({ nanocredits: amount.toString() })

/** One line, its end included. Amounts are texts, marked as what they are. */
export function encodeRecord(operation: SettleHold): string {
  const { charge, cost, lost, most } = operation
  // Named one by one: a function that looks at every value costs three times as much, for each settlement.
  const agreed = most === undefined ? undefined : marked(most)
  const amounts = { charge: marked(charge), cost: marked(cost), lost: marked(lost) }
  const json = JSON.stringify({ ...operation, ...amounts, most: agreed })
  return `${checksumOf(json)} ${json}\n`
}

function revive(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nanocredits' in value)) return value
  return BigInt(value.nanocredits as string)
}

function decodeLine(line: string): SettleHold | null {
  const [, checksum, json = ''] = LINE.exec(line) ?? []
  if (checksum !== checksumOf(json)) return null
  return JSON.parse(json, revive) as SettleHold
}

/** Reads a file of settlements, however it ended. */
export function decodeRecords(text: string): JournalContent {
  const lines = text.split('\n')
  const rest = lines.pop()
  const decoded = lines.map(decodeLine)
  const records = decoded.filter((record) => record !== null)
  return { records, damagedLines: decoded.length - records.length, isTorn: rest !== '' }
}
