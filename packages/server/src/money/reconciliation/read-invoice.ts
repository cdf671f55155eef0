/** Reads an upstream's invoice from a CSV file. */
import { parseUsd } from '../../pricing/usd.ts'
import type { InvoiceLine } from './invoice.ts'
import { CsvError, type CsvRow, readCsv } from './read-csv.ts'

/** What a row says, and the header of its column where none is named. */
export const invoiceColumns = {
  generation_id: { isRequired: true },
  cost_usd: { isRequired: true },
  created_at: { isRequired: false },
  model: { isRequired: false },
} as const
export type InvoiceColumn = keyof typeof invoiceColumns

const COLUMNS = Object.keys(invoiceColumns) as readonly InvoiceColumn[]

export interface InvoiceForm {
  /** By what a row says: the header of its column, where it is another. */
  readonly headers: ReadonlyMap<InvoiceColumn, string>
  /** Minutes east of UTC of times that name no zone. */
  readonly offsetMinutes: number
}

/** Columns by their index; absent where the file has none. */
type Places = Partial<Record<InvoiceColumn, number>>

/** Longest id of an upstream that is kept in a record. */
const ID_LENGTH_MAX = 200

/**
 * Reads its lines as they come. Amounts are decimals in US dollars, exact, also with an exponent.
 *
 * @throws {CsvError} for a file that lacks a column, and for a cell that does not say what it should.
 */
export async function* readInvoice(
  chunks: AsyncIterable<Uint8Array>,
  form: InvoiceForm,
): AsyncGenerator<InvoiceLine, void, undefined> {
  let places: Places | null = null
  for await (const row of readCsv(chunks)) {
    if (places === null) places = findPlaces(row, form)
    else {
      const line = lineOf(row, places, form)
      if (line !== null) yield line
    }
  }
  if (places === null) throw new CsvError(1, 'the file is empty')
}

const plain = (header: string): string => header.trim().toLowerCase()

function findPlaces({ line, cells }: CsvRow, { headers }: InvoiceForm): Places {
  const known = cells.map(plain)
  const places: Places = {}
  for (const column of COLUMNS) {
    const named = headers.get(column)
    const at = known.indexOf(plain(named ?? column))
    if (at !== -1) places[column] = at
    else if (named !== undefined || invoiceColumns[column].isRequired) {
      const has = cells.length > 20 ? `${cells.slice(0, 20).join(', ')}, …` : cells.join(', ')
      throw new CsvError(line, `there is no column ${named ?? column}; there are ${has}`)
    }
  }
  return places
}

/** A row without an id, such as a sum at the end, is no generation. */
function lineOf({ line, cells }: CsvRow, places: Places, { offsetMinutes }: InvoiceForm): InvoiceLine | null {
  const cell = (column: InvoiceColumn): string => cells[places[column] ?? -1]?.trim() ?? ''
  const generationId = cell('generation_id')
  if (generationId === '') return null
  if (generationId.length > ID_LENGTH_MAX) throw new CsvError(line, `generation_id is longer than ${ID_LENGTH_MAX}`)
  const cost = parseUsd(cell('cost_usd').replace(/^\$/, ''))
  if (cost === null) throw new CsvError(line, 'cost_usd is not a decimal such as 0.0125, from 0 to a million')
  const time = cell('created_at')
  const at = time === '' ? null : parseInvoiceTime(time, offsetMinutes)
  if (time !== '' && at === null) throw new CsvError(line, 'created_at is no time such as 2026-03-31T23:59:59Z')
  return { generationId, cost, at, model: cell('model') || null }
}

const DATED = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?\s?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?$/i
const EPOCH = /^\d{10}(?:\d{3}|\.\d{1,9})?$/

/**
 * Reads a time as invoices write them: a date with or without a time of day and a zone, or seconds or milliseconds since
 * the epoch. @returns null for what is none.
 */
export function parseInvoiceTime(text: string, offsetMinutes: number): number | null {
  if (EPOCH.test(text))
    return text.length === 13 && !text.includes('.') ? Number(text) : Math.floor(Number(text) * 1_000)
  const [, day, minutes = '00:00', seconds = ':00', zone] = DATED.exec(text) ?? []
  if (day === undefined) return null
  const ms = Date.parse(`${day}T${minutes}${seconds.slice(0, 7)}Z`)
  if (Number.isNaN(ms) || new Date(Date.parse(`${day}T00:00:00Z`)).toISOString().slice(0, 10) !== day) return null
  return ms - (zone === undefined ? offsetMinutes : offsetOf(zone)) * 60_000
}

/** Minutes east of UTC that an offset such as `+02:00` says; null for what is none. */
export function parseUtcOffset(text: string): number | null {
  const [, hours, minutes] = /^[+-](\d{2}):(\d{2})$/.exec(text) ?? []
  return hours === undefined || Number(hours) > 14 || Number(minutes) > 59 ? null : offsetOf(text)
}

/** Minutes east of UTC. */
function offsetOf(zone: string): number {
  if (/^[zu]/i.test(zone)) return 0
  const [hours, minutes] = [zone.slice(1, 3), zone.slice(3).replace(':', '')]
  return (zone.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes || '0'))
}
