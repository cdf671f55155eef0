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

/**
 * Puts figures between the marks of a document.
 * @throws {Error} when it has no marks.
 */
export function replaceFigures(document: string, figures: string): string {
  const [begin, end] = [document.indexOf(FIGURES_BEGIN), document.indexOf(FIGURES_END)]
  if (begin === -1 || end < begin) throw new Error(`the document has no "${FIGURES_BEGIN}" with "${FIGURES_END}"`)
  return `${document.slice(0, begin + FIGURES_BEGIN.length)}\n${figures}\n${document.slice(end)}`
}
