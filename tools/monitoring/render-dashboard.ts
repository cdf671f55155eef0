/**
 * The dashboard as Grafana imports it. Source: Grafana, "Dashboard JSON model" (schema version 39, Grafana 10.4 and
 * later).
 */
import { withMatchers } from './expression.ts'
import type { Panel, PanelRow } from './panel.ts'

const COLUMNS = 24
const SIZES = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } } as const
const ROW = { w: COLUMNS, h: 1 }
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

/** What the variables of the dashboard select. */
export const SELECTED = 'job=~"$job",instance=~"$instance"'

interface Place {
  x: number
  y: number
  /** Height of the line of panels that is being filled. */
  height: number
}

/** @returns the JSON text of the dashboard. */
export function renderDashboard(rows: readonly PanelRow[]): string {
  const place: Place = { x: 0, y: 0, height: 0 }
  let id = 0
  const panels = rows.flatMap(({ title, panels: inRow }) => [
    { id: ++id, type: 'row', title, collapsed: false, gridPos: put(place, ROW), panels: [] },
    ...inRow.map((panel) => ({ id: ++id, ...panelOf(panel), gridPos: put(place, SIZES[panel.kind]) })),
  ])
  return `${JSON.stringify({ ...FRAME, panels }, null, 2)}\n`
}

/** The next free place in the grid, from left to right and from top to bottom. */
function put(place: Place, { w, h }: { readonly w: number; readonly h: number }) {
  if (place.x + w > COLUMNS || (place.height !== 0 && place.height !== h)) {
    place.x = 0
    place.y += place.height
    place.height = 0
  }
  const at = { h, w, x: place.x, y: place.y }
  place.x += w
  place.height = h
  return at
}

function panelOf(panel: Panel) {
  const { kind, title, description } = panel
  const targets = panel.queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource: DATASOURCE,
    editorMode: 'code',
    expr: withMatchers(expr, SELECTED),
    legendFormat: legend,
    range: true,
  }))
  const common = { type: kind, title, description, datasource: DATASOURCE, targets }
  return kind === 'stat' ? { ...common, ...statLook(panel) } : { ...common, ...linesLook(panel) }
}

function statLook({ unit, redFrom }: Panel) {
  const red = redFrom === undefined ? [] : [{ color: 'red', value: redFrom }]
  return {
    fieldConfig: {
      defaults: {
        unit,
        color: { mode: 'thresholds' },
        thresholds: { mode: 'absolute', steps: [{ color: 'green', value: null }, ...red] },
      },
      overrides: [],
    },
    options: {
      ...{ colorMode: 'value', graphMode: 'area', orientation: 'auto', justifyMode: 'auto', wideLayout: true },
      ...{ percentChangeColorMode: 'standard', showPercentChange: false },
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      textMode: 'value',
    },
  }
}

function linesLook({ unit }: Panel) {
  return {
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        color: { mode: 'palette-classic' },
        custom: { drawStyle: 'line', lineWidth: 1, fillOpacity: 10, showPoints: 'never', spanNulls: false },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  }
}

function variable(name: string, label: string, query: string) {
  return {
    ...{ name, label, type: 'query', datasource: DATASOURCE, refresh: 2, sort: 1 },
    ...{ query: { query, refId: name }, includeAll: true, multi: true },
    current: { selected: true, text: ['All'], value: ['$__all'] },
  }
}

const FRAME = {
  uid: 'svc-gateway',
  title: 'SVC gateway',
  description: 'Traffic, upstreams, money, storage, deposits and processes of SVC. Alerts: docs/runbook.md.',
  tags: ['svc'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  timezone: 'browser',
  time: { from: 'now-3h', to: 'now' },
  timepicker: {},
  annotations: { list: [] },
  links: [],
  templating: {
    list: [
      {
        ...{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1 },
        ...{ includeAll: false, multi: false },
      },
      variable('job', 'Job', 'label_values(svc_build_info, job)'),
      variable('instance', 'Gateway', 'label_values(svc_build_info{job=~"$job"}, instance)'),
    ],
  },
}
