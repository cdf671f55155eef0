/** Alerts as Prometheus and `promtool test rules` read them. A text in JSON is one in YAML, too. */
import { type Alert, type AlertCase, type AlertGroup, TEST_TARGET } from './alert.ts'

/** Where the entry of an alert is, from the root of the repository. */
export function runbookOf(name: string): string {
  return `docs/runbook.md#${name.toLowerCase()}`
}

/** @returns the YAML text of the rules. */
export function renderRules(groups: readonly AlertGroup[]): string {
  const lines = groups.flatMap(({ name, alerts }) => [`  - name: ${name}`, '    rules:', ...alerts.flatMap(ruleLines)])
  return `# Made by \`node tools/make-monitoring.ts\`. What each alert means: docs/runbook.md.\ngroups:\n${lines.join('\n')}\n`
}

function ruleLines(alert: Alert): readonly string[] {
  return [
    `      - alert: ${alert.name}`,
    `        expr: ${text(alert.expr)}`,
    ...(alert.for === undefined ? [] : [`        for: ${alert.for}`]),
    `        labels: { severity: ${alert.severity} }`,
    '        annotations:',
    `          summary: ${text(alert.summary)}`,
    `          runbook_url: ${text(runbookOf(alert.name))}`,
  ]
}

/** @returns the YAML text of the tests: each alert fires for its case, and not for what looks alike. */
export function renderRuleTests(groups: readonly AlertGroup[], rulesFile: string): string {
  const tests = groups
    .flatMap(({ alerts }) => alerts)
    .flatMap((alert) => [
      ...testLines(alert, alert.fires, [
        `          - exp_labels: ${text({ severity: alert.severity, ...(alert.fires.labels ?? { job: TEST_TARGET.job }) })}`,
        `            exp_annotations: ${text({ summary: alert.summary, runbook_url: runbookOf(alert.name) })}`,
      ]),
      ...testLines(alert, alert.quiet, []),
    ])
  return `rule_files: [${text(rulesFile)}]\nevaluation_interval: 1m\ntests:\n${tests.join('\n')}\n`
}

function testLines(alert: Alert, { series, at }: AlertCase, expected: readonly string[]): readonly string[] {
  return [
    '  - interval: 1m',
    '    input_series:',
    ...series.flatMap(({ series: name, values }) => [
      `      - series: ${text(withTarget(name))}`,
      `        values: ${text(values)}`,
    ]),
    '    alert_rule_test:',
    `      - eval_time: ${at}`,
    `        alertname: ${alert.name}`,
    ...(expected.length === 0 ? ['        exp_alerts: []'] : ['        exp_alerts:', ...expected]),
  ]
}

function withTarget(series: string): string {
  const target = Object.entries(TEST_TARGET).map(([label, value]) => `${label}=${text(value)}`)
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
  return `${name}{${[...target, ...(labels === '' ? [] : [labels])].join(',')}}`
}

function text(value: string | Readonly<Record<string, string>>): string {
  return JSON.stringify(value)
}
