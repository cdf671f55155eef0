/**
 * Draws the dashboard's panels from a real Prometheus that scrapes a gateway under load:
 * `node proof/monitoring/draw-dashboard.ts docs/dashboard.png [SECONDS]`. Needs `prometheus` in the PATH.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import { systemClock } from '../../packages/server/src/platform/runtime/clock.ts'
import { openBooks } from '../../packages/server/testing/gateway-books.ts'
import { openGatewayRig, wideLimits } from '../../packages/server/testing/gateway-rig.ts'
import { openBrowser } from '../../tests/open-browser.ts'
import { panelRows } from '../../tools/monitoring/monitoring.ts'
import { makeStorage } from '../rig/storage.ts'
import { startMixedLoad } from './mixed-load.ts'
import { renderPage } from './panel-page.ts'
import { startPrometheus } from './prometheus.ts'

/** What a sandbox without deposits has something to show of. */
const ROWS = ['At a glance', 'Traffic', 'Upstreams', 'Money', 'Processes']

const [, , file = 'dashboard.png', seconds = '180'] = process.argv
const folder = await mkdtemp(path.join(tmpdir(), 'svc-dashboard-'))
const rig = await openGatewayRig({
  database: await makeStorage({ engine: 'sqlite', postgresUrl: null }),
  file: { limits: wideLimits },
  env: { SVC_PORT: '0', SVC_ADMIN_PORT: '0', SVC_LOG_LEVEL: 'error' },
})
const { gateway, config, origin } = await rig.startLocal({ clock: systemClock, onLine: () => undefined })
const books = openBooks(gateway, { peppers: config.peppers, gatewayLimits: config.limits })
const account = await books.createAccount('Dashboard', nanocreditsOf(1_000_000n * NANOCREDITS_PER_CREDIT))
const { rawKey } = await books.createKey(account)
const client = {
  fetch: (address: string, init: RequestInit) =>
    fetch(`${origin}/api${address}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string> | undefined), authorization: `Bearer ${rawKey}` },
    }),
}
const prometheus = await startPrometheus(gateway.adminOrigin() ?? '', folder)
// It comes in three steps, so that the lines say something.
const stops: (() => Promise<void>)[] = []
for (const loops of [2, 3, 4]) {
  stops.push(startMixedLoad(client, loops))
  await pauseFor((Number(seconds) * 1_000) / 3)
}
const rows = []
for (const row of panelRows.filter(({ title }) => ROWS.includes(title))) {
  const panels = []
  for (const panel of row.panels) {
    const answers = []
    for (const { expr } of panel.queries) answers.push(await prometheus.ask(expr, Number(seconds)))
    const hasData = answers.some((series) => series.length > 0)
    if (hasData) panels.push({ ...panel, answers })
  }
  rows.push({ ...row, panels })
}
await Promise.all(stops.map((stop) => stop()))
await prometheus.stop()
await gateway.stop()
await rig.close()
const browser = await openBrowser()
const page = await browser.newPage({ viewport: { width: 1_232, height: 800 } })
await page.setContent(renderPage('SVC gateway: queries of the dashboard, drawn without Grafana', rows))
await page.screenshot({ path: file, fullPage: true })
await browser.close()
await rm(folder, { recursive: true, force: true })
