import type { AccountLine } from './entry-facts.ts'

/** An entry as the line of a batch has it. */
export interface BatchLine extends AccountLine {
  /** Mark and id. */
  readonly entry: string
}

/** Reads a line: the entry as JSON, which may hold spaces, then running number and balance. */
export function parseLine(line: string): BatchLine {
  const end = line.lastIndexOf(' ')
  const middle = line.lastIndexOf(' ', end - 1)
  return {
    entry: JSON.parse(line.slice(0, middle)) as string,
    number: Number(line.slice(middle + 1, end)),
    posted: BigInt(line.slice(end + 1)),
  }
}
