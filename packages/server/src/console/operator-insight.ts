/** The routes that show how the gateway fares: upstreams, prices, the audit, the journal. */
import { consoleEndpoints, creditsJson, type Nanocredits, OPERATOR_PAGE_ROWS } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ComparedPrice } from '../catalog/compare-prices.ts'
import { type AuditState, startAudit } from '../operations/actions/start-audit.ts'
import type { JournalEntry } from '../access/operators/journal.ts'
import type { UpstreamState } from '../operations/actions/upstream-state.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

function renderUpstream({ name, kind, health, accountCircuit, models, failures }: UpstreamState) {
  return {
    ...{ name, kind, health },
    account_circuit: accountCircuit,
    models: models.map(({ model, circuit, calls, failures: failed, lastAt, medianMs, slowestMs }) => ({
      ...{ model, circuit, calls, failures: failed, last_at: secondsOf(lastAt) },
      median_ms: rounded(medianMs),
      slowest_ms: rounded(slowestMs),
    })),
    failures: failures.map(({ at, ...failure }) => ({ ...failure, at: secondsOf(at) })),
  }
}

const creditsOrNull = (amount: Nanocredits | null) => (amount === null ? null : creditsJson(amount))

function renderPrice({ aliasFor, lines, ...price }: ComparedPrice) {
  return {
    ...price,
    alias_for: aliasFor,
    lines: lines.map(({ kind, card, cost, selling, marginBps, rule }) => ({
      ...{ kind, card: creditsOrNull(card), cost: creditsOrNull(cost), selling: creditsJson(selling) },
      ...{ margin_bps: marginBps, rule },
    })),
  }
}

function renderAudit({ running, last, failure }: AuditState) {
  return {
    running: running === null ? null : { started_at: secondsOf(running.startedAt), by: running.startedBy },
    last:
      last === null
        ? null
        : {
            ...{ started_at: secondsOf(last.startedAt), took_ms: last.endedAt - last.startedAt, by: last.startedBy },
            report: renderReport(last.report),
          },
    failure,
  }
}

function renderReport({ takenAt, breaches, rows }: NonNullable<AuditState['last']>['report']) {
  return {
    ...{ taken_at: secondsOf(takenAt), breaches },
    rows: rows.map(({ figures, ...row }) => ({
      ...row,
      figures: Object.entries(figures).map(([name, value]) => ({ name, value: String(value) })),
    })),
  }
}

/** What an entry says beside its columns: texts, and what was and is where something was changed. */
function renderDetails(text: string): { name: string; value: string }[] {
  const details: unknown = JSON.parse(text)
  return Object.entries(Object(details) as Record<string, unknown>).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value: detailText(value) }],
  )
}

function detailText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return plainText(value)
  return `${plainText(Reflect.get(value, 'from'))} → ${plainText(Reflect.get(value, 'to'))}`
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? 'none').replaceAll('"', '')
}

function renderEntry(entry: JournalEntry) {
  const { actionId: id, at, operatorName: by, way, action, accountId, subject, reason, details, outcome } = entry
  return {
    ...{ id, at: secondsOf(at), by, way, action, account_id: accountId, subject, reason, outcome },
    details: renderDetails(details),
  }
}

export function mountOperatorInsight(app: FastifyInstance, parts: ConsoleEdge): void {
  const { edge } = parts
  const services = edge.operators
  mountSession(app, parts, consoleEndpoints.getUpstreams, async () => ({
    health: await edge.readHealth(),
    chain_problems: services.chainProblems(),
    upstreams: services.upstreams().map(renderUpstream),
  }))
  mountSession(app, parts, consoleEndpoints.comparePrices, () => ({
    unsold_aliases: services.unsoldAliases(),
    data: services.prices().map(renderPrice),
  }))
  mountSession(app, parts, consoleEndpoints.getAudit, async () => renderAudit(await services.audits.state()))
  mountSession(app, parts, consoleEndpoints.startAudit, async ({ session }) => ({
    started: await startAudit(services, operatorOf(session)),
  }))
  mountSession(app, parts, consoleEndpoints.listJournal, async ({ query: { action, account, after } }) => {
    const found = await services.journal.list({
      ...(action === undefined ? {} : { action }),
      ...(account === undefined ? {} : { accountId: account }),
      ...(after === undefined ? {} : { after }),
      limit: OPERATOR_PAGE_ROWS + 1,
    })
    return { data: found.slice(0, OPERATOR_PAGE_ROWS).map(renderEntry), has_more: found.length > OPERATOR_PAGE_ROWS }
  })
}
