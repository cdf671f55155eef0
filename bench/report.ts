/** The results as a table of Markdown. Pure. */
import type { Machine } from './machine.ts'
import type { RowResult } from './row.ts'

/** The figures of a document are between these two lines. */
export const FIGURES_BEGIN = '<!-- figures: begin -->'
export const FIGURES_END = '<!-- figures: end -->'

export function renderMachine(machine: Machine): string {
  const { cpu, cores, memoryGib, fdatasyncMs, node, postgres, commit, takenAt } = machine
  const database = postgres === null ? '' : `, PostgreSQL ${postgres}`
  return (
    `${cpu}, ${cores} cores, ${memoryGib} GiB, fdatasync ${fdatasyncMs.toFixed(2)} ms, ` +
    `Node ${node}${database}, commit ${commit}, ${takenAt}`
  )
}

const HEAD = ['row', 'figure', 'median', '95 % interval', 'min to max', 'goal', 'verdict', 'generator', 'core', 'notes']

export function renderTable(results: readonly RowResult[]): string {
  const lines = results.map(cellsOf)
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...lines.map((cells) => cells[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...lines.map(line)].join('\n')
}

function cellsOf(result: RowResult): string[] {
  const { row, figure, unit, goal, spread, count, verdict, generatorBusy, coreBusy, notes } = result
  const of = count === 1 ? ' (one run)' : ` of ${count}`
  return [
    String(row),
    figure,
    spread === null ? '' : `${numberText(spread.median)} ${unit}${of}`,
    spread?.interval == null ? '' : spread.interval.map(numberText).join(' to '),
    spread === null ? '' : `${numberText(spread.min)} to ${numberText(spread.max)}`,
    goal === null ? '' : `≤ ${numberText(goal)} ${unit}`,
    verdict,
    percentText(generatorBusy),
    percentText(coreBusy),
    notes.join('; ').replaceAll(/[|\n]/g, ' '),
  ]
}

function numberText(value: number): string {
  return Math.abs(value) >= 20 ? value.toFixed(1) : value.toFixed(2)
}

function percentText(part: number | null): string {
  return part === null ? '' : `${(part * 100).toFixed(0)} %`
}

/** Figures, and the marks that they come between. */
export interface Figures {
  readonly begin: string
  readonly end: string
  readonly text: string
}

/**
 * Puts figures between the marks of a document, as far as it has marks for them.
 * @throws {Error} when it has none.
 */
export function replaceFigures(document: string, figures: readonly Figures[]): string {
  const marked = figures.filter(({ begin, end }) => isMarked(document, begin, end))
  if (marked.length === 0) throw new Error(`the document has none of these marks: ${marksOf(figures)}`)
  return marked.reduce((text, { begin, end, text: own }) => {
    const from = text.indexOf(begin) + begin.length
    return `${text.slice(0, from)}\n${own}\n${text.slice(text.indexOf(end, from))}`
  }, document)
}

function isMarked(document: string, begin: string, end: string): boolean {
  const from = document.indexOf(begin)
  return from !== -1 && document.includes(end, from)
}

const marksOf = (figures: readonly Figures[]): string => figures.map(({ begin, end }) => `${begin} ${end}`).join(', ')
