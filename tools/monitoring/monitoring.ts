/** The dashboard and the rules of alerts: what they show and watch, and the files that are made of them. */
import type { AlertGroup } from './alert.ts'
import { depositAlerts } from './alerts/deposits.ts'
import { jobAlerts } from './alerts/jobs.ts'
import { moneyAlerts } from './alerts/money.ts'
import { storageAlerts } from './alerts/storage.ts'
import { trafficAlerts } from './alerts/traffic.ts'
import { upstreamAlerts } from './alerts/upstreams.ts'
import type { PanelRow } from './panel.ts'
import { deposits } from './panels/deposits.ts'
import { jobs } from './panels/jobs.ts'
import { money } from './panels/money.ts'
import { overview } from './panels/overview.ts'
import { processes } from './panels/processes.ts'
import { storage } from './panels/storage.ts'
import { traffic } from './panels/traffic.ts'
import { upstreams } from './panels/upstreams.ts'
import { renderDashboard } from './render-dashboard.ts'
import { renderRules } from './render-rules.ts'

export const alertGroups: readonly AlertGroup[] = [
  ...[moneyAlerts, trafficAlerts, upstreamAlerts],
  ...[storageAlerts, depositAlerts, jobAlerts],
]

export const panelRows: readonly PanelRow[] = [
  ...[overview, traffic, upstreams, money],
  ...[storage, deposits, jobs, processes],
]

/** The files by their paths from the root of the repository. */
export function renderMonitoring(): ReadonlyMap<string, string> {
  return new Map([
    ['deploy/grafana/svc-dashboard.json', renderDashboard(panelRows)],
    ['deploy/prometheus/svc.rules.yml', renderRules(alertGroups)],
  ])
}
