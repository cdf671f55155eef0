/**
 * The dashboard before Grafana's own types, and its queries before a real Prometheus that scrapes a gateway under load.
 * What is not installed, or cannot be, is left out.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.ts'
import { startTestGateway, type TestGateway } from '../../packages/server/testing/test-gateway.ts'
import { startMixedLoad } from '../../proof/monitoring/mixed-load.ts'
import { type Prometheus, startPrometheus } from '../../proof/monitoring/prometheus.ts'
import { panelRows } from '../../tools/monitoring/monitoring.ts'

const root = dirname(dirname(import.meta.dirname))
const DASHBOARD = join(root, 'deploy/grafana/svc-dashboard.json')
/** Grafana's own description of a dashboard, and of the panels in it. */
const SCHEMA = '@grafana/schema@13.2.3'
const RAW = './node_modules/@grafana/schema/dist/types/raw'
const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-dashboard-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Grafana's enumerations are plain texts in JSON. */
const PLAIN = `type Plain<T> = T extends string ? \`\${T}\`
  : T extends number | boolean | null | undefined ? T
  : unknown extends T ? T
  : T extends (infer E)[] ? Plain<E>[]
  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T`

interface PanelJson {
  readonly type: string
  readonly options?: object
  readonly fieldConfig?: { readonly defaults: { readonly custom?: object } }
}

test("Grafana's own types take the dashboard", async ({ skip }) => {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const install = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', SCHEMA]
  const missing = await run('npm', install, { cwd: folder }).then(
    () => null,
    (error: unknown) => String(error).split('\n')[0] ?? '',
  )
  if (missing !== null) return skip(`${SCHEMA} could not be installed: ${missing}`)
  const { panels, ...frame } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as { readonly panels: PanelJson[] }
  const of = (type: string): readonly PanelJson[] => panels.filter((panel) => panel.type === type)
  const others = panels.filter(({ type }) => type !== 'row')
  const values: readonly (readonly [type: string, value: unknown])[] = [
    ["Omit<Dashboard, 'panels'>", frame],
    ['RowPanel[]', of('row')],
    ['Panel[]', others],
    ['LinesOptions[]', of('timeseries').map(({ options }) => options)],
    ['LinesConfig[]', of('timeseries').map(({ fieldConfig }) => fieldConfig?.defaults.custom)],
    ['StatOptions[]', of('stat').map(({ options }) => options)],
  ]
  await writeFile(
    join(folder, 'check.ts'),
    [
      `import type { Dashboard, Panel, RowPanel } from '${RAW}/dashboard/x/types.gen'`,
      `import type { Options as LinesOptions, FieldConfig as LinesConfig } from '${RAW}/composable/timeseries/panelcfg/x/types.gen'`,
      `import type { Options as StatOptions } from '${RAW}/composable/stat/panelcfg/x/types.gen'`,
      PLAIN,
      ...values.map(([type, value], at) => `export const value${at}: Plain<${type}> = ${JSON.stringify(value)}`),
    ].join('\n'),
  )
  const words = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
  const checked = await run(join(root, 'node_modules/.bin/tsc'), [...words, 'check.ts'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  expect(checked.stdout).toBe('')
})

const hasPrometheus = await run('prometheus', ['--version']).then(
  () => true,
  () => false,
)

describe.skipIf(!hasPrometheus)('before a Prometheus that scrapes a gateway under load', () => {
  let gateway: TestGateway
  let prometheus: Prometheus
  let stopLoad: () => Promise<void>
  beforeAll(async () => {
    gateway = await startTestGateway({ credits: '1000000', env: { SVC_ADMIN_PORT: '0' } })
    stopLoad = startMixedLoad(gateway, 3)
    prometheus = await startPrometheus(gateway.gateway.adminOrigin() ?? '', folder)
  })
  afterAll(async () => {
    await stopLoad()
    await prometheus.stop()
    await gateway.stop()
  })

  test('each query of the dashboard is answered, and what a gateway always has is there', async () => {
    const always = [
      ...['Requests', 'Requests by status', 'Open streams', 'First content of chats', 'Tokens', 'Calls by outcome'],
      ...['Holds', 'Duration of commits', 'Database answers', 'Age of leases', 'Disk of the data folder'],
      ...['Event loop', 'Memory', 'Versions'],
    ]
    await eventually(async () => {
      const empty: string[] = []
      for (const { title, queries } of panelRows.flatMap((row) => row.panels)) {
        for (const { expr } of queries) {
          const series = await prometheus.ask(expr, 30)
          const isThere = series.some(({ values }) => values.some(([, value]) => Number.isFinite(value)))
          if (!isThere && always.includes(title)) empty.push(title)
        }
      }
      expect(empty).toEqual([])
    }, 80_000)
  })

  test('every rule can be evaluated', async () => {
    await eventually(async () => expect(await prometheus.ask('svc_streams_open', 5)).not.toEqual([]))
    expect(await prometheus.alerts()).not.toContain('SvcNoGateway')
  })
})
