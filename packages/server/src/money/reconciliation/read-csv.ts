/** Reads rows of a CSV file as it comes: a file of any size takes no more memory than its longest row. */
import { TextDecoder } from 'node:util'

/** Characters of one cell, and cells of one row, at most. Source: own choice. */
const CELL_LENGTH_MAX = 65_536
const CELLS_MAX = 500

/** A file that is no table. */
export class CsvError extends Error {
  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`)
    this.name = 'CsvError'
  }
}

export interface CsvRow {
  /** Where it begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** Takes a text apart as RFC 4180 has it. */
class CsvReader {
  #line = 1
  #rowLine = 1
  #cells: string[] = []
  #cell = ''
  /** `closed`: a quote was read within a quoted cell; it ends the cell, or is the first of two. */
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  readonly #separator: string

  constructor(separator: string) {
    this.#separator = separator
  }

  /** @returns the rows that the text has completed. */
  read(text: string): readonly CsvRow[] {
    const rows: CsvRow[] = []
    for (const character of text) {
      if (character === '\n') this.#line++
      if (this.#state === 'quoted') {
        if (character === '"') this.#state = 'closed'
        else this.#put(character)
      } else if (character === '"' && this.#state !== 'plain') {
        if (this.#state === 'closed') this.#put(character)
        this.#state = 'quoted'
      } else if (character === this.#separator) this.#endCell()
      else if (character === '\n') rows.push(...this.#endRow())
      else if (character !== '\r') {
        if (this.#state === 'closed') throw new CsvError(this.#line, 'text follows a closing quote')
        this.#state = 'plain'
        this.#put(character)
      }
    }
    return rows
  }

  end(): readonly CsvRow[] {
    if (this.#state === 'quoted') throw new CsvError(this.#rowLine, 'a quote is never closed')
    return this.#endRow()
  }

  #put(character: string): void {
    if (this.#cell.length >= CELL_LENGTH_MAX) {
      throw new CsvError(this.#rowLine, `a cell has more than ${CELL_LENGTH_MAX} characters`)
    }
    this.#cell += character
  }

  #endCell(): void {
    if (this.#cells.length >= CELLS_MAX) throw new CsvError(this.#rowLine, `a row has more than ${CELLS_MAX} cells`)
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'start'
  }

  /** An empty line is no row. */
  #endRow(): readonly CsvRow[] {
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && this.#state === 'start'
    const line = this.#rowLine
    this.#rowLine = this.#line
    if (isEmpty) return []
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    return [{ line, cells }]
  }
}

const SEPARATORS = [',', ';', '\t'] as const

/** What separates the cells of a header: the one that it has most of. */
function separatorOf(header: string): string {
  const count = (separator: string): number => header.split(separator).length
  return SEPARATORS.reduce<string>((best, each) => (count(each) > count(best) ? each : best), ',')
}

/**
 * Reads rows. Cells are separated as the first line has them: by commas, semicolons or tabs.
 *
 * @param chunks the file's bytes, UTF-8.
 * @throws {CsvError} for what is no table.
 */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let reader: CsvReader | null = null
  let head = ''
  for await (const chunk of chunks) {
    const text = decode(decoder, chunk)
    if (reader === null) {
      head += text
      const end = head.indexOf('\n')
      if (end === -1 && head.length <= CELL_LENGTH_MAX) continue
      reader = new CsvReader(separatorOf(end === -1 ? head : head.slice(0, end)))
      yield* reader.read(head)
    } else yield* reader.read(text)
  }
  const rest = decode(decoder)
  if (reader === null) {
    reader = new CsvReader(separatorOf(head))
    yield* reader.read(head)
  }
  yield* reader.read(rest)
  yield* reader.end()
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    throw new CsvError(1, 'the file is not UTF-8 text')
  }
}
