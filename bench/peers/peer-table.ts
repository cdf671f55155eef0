/** The figures of all gateways as a table of Markdown. Pure. */
import type { ContenderFigures } from './measure-contender.ts'

/** A gateway that could not be measured. */
export interface Missing {
  readonly name: string
  readonly reason: string
}

/** The whole table is between these two lines, and a shorter one between the others. */
export const PEERS_BEGIN = '<!-- peers: begin -->'
export const PEERS_END = '<!-- peers: end -->'
export const SHORT_BEGIN = '<!-- peers in short: begin -->'
export const SHORT_END = '<!-- peers in short: end -->'

interface Column {
  readonly title: string
  readonly isShort?: true
  readonly of: (figures: ContenderFigures) => string
}

/** For what was not measured. */
const NONE = ''

const columns: readonly Column[] = [
  { title: 'gateway', isShort: true, of: ({ name }) => name },
  { title: 'version', of: ({ version }) => version },
  { title: 'what it books', isShort: true, of: ({ accounting }) => accounting },
  {
    title: 'CPU per whole answer',
    of: ({ whole }) => (whole === null ? NONE : microseconds(whole.value)),
  },
  {
    title: 'against the bare proxy',
    of: ({ whole }) =>
      whole === null
        ? NONE
        : `${(whole.value / whole.bare).toFixed(2)} × of ${microseconds(whole.bare)}, at ${whole.rate}/s`,
  },
  {
    title: 'requests a second',
    isShort: true,
    of: ({ saturation }) => (saturation === null ? NONE : whole(saturation.perSecond)),
  },
  {
    // Counted on a busy machine as well, unlike the figure at a schedule.
    title: 'per second and core',
    isShort: true,
    of: ({ saturation }) =>
      saturation === null ? NONE : `${whole(saturation.perCoreSecond)} (${microseconds(saturation.cpuUs)})`,
  },
  { title: 'CPU per chunk', isShort: true, of: ({ chunk }) => (chunk === null ? NONE : microseconds(chunk.value)) },
  {
    title: 'chunks against the bare proxy',
    of: ({ chunk }) => (chunk === null ? NONE : `${(chunk.value / chunk.bare).toFixed(2)} ×, ${chunk.streams} streams`),
  },
  {
    title: 'latency added, p50 and p99',
    isShort: true,
    of: ({ latency }) => (latency === null ? NONE : `${latency.p50.toFixed(1)}, ${latency.p99.toFixed(1)} ms`),
  },
  {
    title: 'memory, streams open',
    isShort: true,
    of: ({ memory }) => (memory === null ? NONE : `${whole(memory.mib)} MiB, ${whole(memory.streams)}`),
  },
  { title: 'before', of: ({ memory }) => (memory === null ? NONE : `${whole(memory.idleMib)} MiB`) },
  {
    title: 'start',
    isShort: true,
    of: ({ start }) =>
      start === null ? NONE : `${(start.ms / 1_000).toFixed(1)} s, ${(start.cpuMs / 1_000).toFixed(1)} s CPU`,
  },
  { title: 'notes', of: ({ notes }) => notes.join('; ').replaceAll(/[|\n]/g, ' ') },
]

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const microseconds = (value: number): string => `${value < 100 ? value.toFixed(1) : whole(value)} µs`

/** The table, and below it those that have no row, with the reason. */
export function renderPeers(
  measured: readonly ContenderFigures[],
  missing: readonly Missing[],
  form: 'whole' | 'short' = 'whole',
): string {
  const shown = columns.filter(({ isShort }) => form === 'whole' || isShort === true)
  const lines = measured.map((figures) => shown.map(({ of }) => of(figures)))
  const widths = shown.map(({ title }, column) =>
    Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const head = shown.map(({ title }) => title)
  const table = [line(head), line(widths.map((width) => '-'.repeat(width))), ...lines.map(line)].join('\n')
  const absent = missing.map(({ name, reason }) => `${name} (${reason.replaceAll(/[|\n]/g, ' ')})`)
  return absent.length === 0 ? table : `${table}\n\nNot measured: ${absent.join('; ')}.`
}
