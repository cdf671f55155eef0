/** The dashboard and the alerts name only what there is, show all of it, and their files are what they say. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGatewayMetrics } from '../../packages/server/src/telemetry/metrics/gateway-metrics.ts'
import { byName, metricsOf, problemsOf, withMatchers } from './expression.ts'
import { alertGroups, panelRows, renderMonitoring } from './monitoring.ts'
import { runbookOf } from './render-rules.ts'

const root = path.dirname(path.dirname(import.meta.dirname))
const definitions = byName(createGatewayMetrics().definitions)
const alerts = alertGroups.flatMap((group) => group.alerts)
const panels = panelRows.flatMap((row) => row.panels)
const queries = panels.flatMap((panel) => panel.queries)
const runbook = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8')

test('the metrics are there', () => {
  expect(definitions.size).toBeGreaterThan(60)
  expect(definitions.get('svc_chat_duration_seconds')).toMatchObject({
    kind: 'histogram',
    labels: ['model', 'upstream'],
  })
  expect(definitions.get('svc_database_up')?.kind).toBe('gauge')
})

describe('an expression', () => {
  test.each([
    ['sum(rate(svc_no_such_total[5m]))', 'svc_no_such_total is no metric'],
    ['svc_database_up{shard="1"} == 0', 'svc_database_up has no label shard'],
    ['sum by (model) (svc_streams_open)', 'no metric here has the label model'],
    ['svc_credits_charged_total > 0', 'svc_credits_charged_total is counted and needs rate() or increase()'],
    ['rate(svc_streams_open[5m])', 'svc_streams_open is a gauge and has no rate'],
    ['rate(svc_chat_duration_seconds[5m])', 'svc_chat_duration_seconds is no metric'],
  ])('%s is wrong', (expression, problem) => {
    expect(problemsOf(expression, definitions)).toEqual([problem])
  })

  test('takes the matchers of the dashboard beside its own', () => {
    expect(withMatchers('a(svc_streams_open) / b(svc_database_up{job="x"})', 'i="1"')).toBe(
      'a(svc_streams_open{i="1"}) / b(svc_database_up{i="1",job="x"})',
    )
  })
})

test.each(alerts.map((alert) => [alert.name, alert] as const))('%s watches what there is', (_, alert) => {
  expect(problemsOf(alert.expr, definitions)).toEqual([])
  expect(metricsOf(alert.expr, definitions).length).toBeGreaterThan(0)
  // What its tests give is a metric with its own labels.
  const given = [...alert.fires.series, ...alert.quiet.series].map(({ series }) => series)
  const asRates = given.map((series) => (/_(total|bucket|sum|count)\b/.test(series) ? `rate(${series})` : series))
  expect(asRates.flatMap((series) => problemsOf(series, definitions))).toEqual([])
})

test('no alert has the name of another', () => {
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length)
})

test('every panel asks for what there is', () => {
  expect(queries.flatMap(({ expr }) => problemsOf(expr, definitions))).toEqual([])
  const titles = panels.map(({ title }) => title)
  expect(new Set(titles).size).toBe(titles.length)
})

test('the dashboard shows every metric of ours', () => {
  const shown = new Set(queries.flatMap(({ expr }) => metricsOf(expr, definitions)))
  const ours = [...definitions.keys()].filter((name) => name.startsWith('svc_'))
  expect(ours.filter((name) => !shown.has(name))).toEqual([])
})

test('every alert has its entry in the runbook, and every entry its alert', () => {
  const entries = [...runbook.matchAll(/^### (Svc\w+)$/gm)].map(([, name]) => name)
  expect(entries.toSorted()).toEqual(alerts.map(({ name }) => name).toSorted())
})

// What a person who was woken needs: what is at stake, where to look, what to do, when to go back to bed.
test.each(alerts.map(({ name }) => [name]))('the entry of %s says all that it must', (name) => {
  const [, entry = ''] = new RegExp(`^### ${name}\\n([^]*?)(?=^##|$(?![^]))`, 'm').exec(runbook) ?? []
  for (const part of ['Means', 'Look', 'Do', 'Over'])
    expect(entry).toMatch(new RegExp(`^- \\*\\*${part}:\\*\\* \\S`, 'm'))
  expect(runbookOf(name)).toBe(`docs/runbook.md#${name.toLowerCase()}`)
})

test.each([...renderMonitoring()])('%s is what the tools say', (file, content) => {
  const at = path.join(root, file)
  expect(existsSync(at) && readFileSync(at, 'utf8') === content, 'run `node tools/make-monitoring.ts`').toBe(true)
})
