import type { Output } from './output.ts'
import { styled } from './style.ts'
import { type Column, renderTable } from './table.ts'

/** Prints a table that fits the terminal; a pipe gets every column at its full width. */
export async function printTable<Row>(
  output: Output,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<void> {
  const width = output.isTerminal ? output.width() : Number.POSITIVE_INFINITY
  const [head = '', ...lines] = renderTable(rows, columns, width)
  await output.bytes(`${styled(output, 'bold', head)}\n`)
  for (const line of lines) await output.line(line)
}
