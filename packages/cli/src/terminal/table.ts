/** Tables for people: columns as wide as their cells, within the width of the terminal. */
import stringWidth from 'string-width'
import { withoutControls } from './without-controls.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly align?: 'left' | 'right'
  /**
   * Columns with the highest number go first where the terminal is narrow, all of one number together; without one a
   * column always stays.
   */
  readonly dropAt?: number
  /** May be cut with an ellipsis down to so many columns. */
  readonly shrinkTo?: number
  /** Cut at its start: ids of models differ at their end. */
  readonly keepsEnd?: boolean
}

const GAP = '  '
const ELLIPSIS = '…'

interface Measured<Row> {
  readonly column: Column<Row>
  readonly cells: readonly string[]
  width: number
}

/**
 * Prints rows under their titles.
 *
 * @param width columns of the terminal; infinite where it need not fit.
 * @returns lines without their ends.
 */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string[] {
  const measured = fit(
    columns.map((column) => measure(rows, column)),
    width,
  )
  const head = line(measured, (each) => each.column.title)
  return [head, ...rows.map((_row, index) => line(measured, (each) => each.cells[index] ?? ''))]
}

function measure<Row>(rows: readonly Row[], column: Column<Row>): Measured<Row> {
  const cells = rows.map((row) => withoutControls(column.cell(row)).replaceAll(/\s+/g, ' '))
  return { column, cells, width: Math.max(...[column.title, ...cells].map((text) => stringWidth(text))) }
}

function totalWidth(measured: readonly { readonly width: number }[]): number {
  return measured.reduce((sum, each) => sum + each.width, 0) + GAP.length * Math.max(0, measured.length - 1)
}

/** First cuts what may be cut, then leaves out what may be left out, and cuts again. */
function fit<Row>(all: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  let kept = all
  for (;;) {
    const excess = totalWidth(kept) - width
    if (excess <= 0) return kept
    const slack = kept.reduce((sum, each) => sum + slackOf(each), 0)
    const dropped = nextToDrop(kept)
    if (slack >= excess || dropped === null) return shrink(kept, excess)
    kept = kept.filter(({ column }) => column.dropAt !== dropped)
  }
}

function slackOf<Row>({ column, width }: Measured<Row>): number {
  return column.shrinkTo === undefined ? 0 : Math.max(0, width - column.shrinkTo)
}

/** The number whose columns go next; null when all that are left stay. */
function nextToDrop<Row>(measured: readonly Measured<Row>[]): number | null {
  const numbers = measured.flatMap(({ column }) => (column.dropAt === undefined ? [] : [column.dropAt]))
  return numbers.length === 0 ? null : Math.max(...numbers)
}

function shrink<Row>(measured: readonly Measured<Row>[], excess: number): readonly Measured<Row>[] {
  let left = excess
  // What matters most comes first, and is cut last.
  return measured
    .toReversed()
    .map((each) => {
      const cut = Math.min(left, slackOf(each))
      left -= cut
      return { ...each, width: each.width - cut }
    })
    .toReversed()
}

function line<Row>(measured: readonly Measured<Row>[], textOf: (each: Measured<Row>) => string): string {
  return measured
    .map((each) => pad(cutCell(textOf(each), each), each.width, each.column.align ?? 'left'))
    .join(GAP)
    .trimEnd()
}

function cutCell<Row>(text: string, { column, width }: Measured<Row>): string {
  return column.keepsEnd === true ? cutStart(text, width) : cut(text, width)
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)))
  return align === 'right' ? space + text : text + space
}

/** Cuts a text to a number of columns, by whole characters as people see them. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return kept + ELLIPSIS
}

function cutStart(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of [...new Intl.Segmenter().segment(text)].toReversed()) {
    if (stringWidth(segment + kept) > width - 1) break
    kept = segment + kept
  }
  return ELLIPSIS + kept
}
