/** Panels drawn from what Prometheus says of their queries: lines in SVG. It is no Grafana, and does not look like one. */
import type { Panel, PanelRow, Unit } from '../../tools/monitoring/panel.ts'
import type { Series } from './prometheus.ts'

/** A panel with the answers to its queries, in their order. */
export interface DrawnPanel extends Panel {
  readonly answers: readonly (readonly Series[])[]
}

const SIZE = { width: 380, height: 130 } as const
const COLOURS = ['#2563eb', '#d97706', '#059669', '#dc2626', '#7c3aed', '#0891b2', '#be185d', '#65a30d'] as const
/** Lines of one panel at most, and names below it. */
const LINES_MAX = 12

const STYLE = `
  body { margin: 0; padding: 16px; width: 1200px; background: #fff; color: #1f2937; font: 13px sans-serif }
  h1 { font-size: 18px; margin: 0 0 4px } h2 { font-size: 14px; margin: 16px 0 6px }
  .row { display: grid; grid-template-columns: repeat(3, 1fr); gap: 8px }
  .panel { border: 1px solid #e5e7eb; border-radius: 4px; padding: 6px 8px }
  .panel b { font-weight: 600 } .stat { font-size: 26px } svg { display: block } .names { font-size: 10px; color: #4b5563 }`

/** @returns the page as HTML. */
export function renderPage(title: string, rows: readonly (Omit<PanelRow, 'panels'> & { panels: DrawnPanel[] })[]) {
  const drawn = rows.map(
    (row) => `<h2>${escaped(row.title)}</h2><div class="row">${row.panels.map(panelHtml).join('')}</div>`,
  )
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><h1>${escaped(title)}</h1>${drawn.join('')}`
}

function panelHtml(panel: DrawnPanel): string {
  const lines = linesOf(panel)
  const last = lines[0]?.values.at(-1)?.[1] ?? null
  const body =
    panel.kind === 'stat'
      ? `<div class="stat">${last === null ? '–' : shown(last, panel.unit)}</div>`
      : chart(lines, panel.unit)
  return `<div class="panel"><b>${escaped(panel.title)}</b>${body}</div>`
}

interface Line {
  readonly name: string
  readonly values: Series['values']
}

function linesOf({ queries, answers }: DrawnPanel): readonly Line[] {
  const lines = answers.flatMap((series, at) =>
    series.map(({ labels, values }) => ({
      name: (queries[at]?.legend ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? ''),
      values: values.filter(([, value]) => Number.isFinite(value)),
    })),
  )
  return lines.filter(({ values }) => values.length > 0).slice(0, LINES_MAX)
}

function chart(lines: readonly Line[], unit: Unit): string {
  const points = lines.flatMap(({ values }) => values)
  if (points.length === 0) return '<div class="names">nothing</div>'
  const times = points.map(([at]) => at)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const most = Math.max(...points.map(([, value]) => value)) || 1
  const { width, height } = SIZE
  const paths = lines.map(({ values }, at) => {
    const way = values.map(([time, value]) => {
      const x = to === from ? 0 : ((time - from) / (to - from)) * width
      return `${x.toFixed(1)},${(height - (Math.max(value, 0) / most) * (height - 6)).toFixed(1)}`
    })
    return `<polyline fill="none" stroke="${COLOURS[at % COLOURS.length]}" stroke-width="1.5" points="${way.join(' ')}"/>`
  })
  const names = lines.map(
    ({ name }, at) => `<span style="color:${COLOURS[at % COLOURS.length]}">■</span> ${escaped(name)}`,
  )
  return `<svg width="${width}" height="${height}"><text x="2" y="10" font-size="10" fill="#6b7280">${shown(most, unit)}</text>${paths.join('')}</svg><div class="names">${names.join(' ')}</div>`
}

function shown(value: number, unit: Unit): string {
  if (unit === 'bytes') return `${(value / 1_048_576).toFixed(1)} MiB`
  if (unit === 'percentunit') return `${(value * 100).toFixed(1)} %`
  const digits = value >= 100 ? 0 : value >= 1 ? 2 : 4
  const text = Number(value.toFixed(digits)).toString()
  return unit === 's' ? `${text} s` : unit === 'short' ? text : `${text}/s`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
