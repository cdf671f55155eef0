/** The routes about reconciliations with upstreams. */
import { consoleEndpoints, INVOICE_BYTES_MAX, type Nanocredits, type ReconciliationQuery, usdJson } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { type Form, type FormFile, readForm } from '../edge/read-form.ts'
import { type InvoiceColumn, invoiceColumns, parseUtcOffset } from '../money/reconciliation/read-invoice.ts'
import type { ReconciliationReport, Side } from '../money/reconciliation/report.ts'
import type { ReconciliationRun } from '../money/reconciliation/reconciliation.ts'
import { startReconciliation } from '../operations/actions/start-reconciliation.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { operatorOf, secondsOf } from './operator-of.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'

/** Runs that are listed. */
const RUNS = 50

export function mountOperatorReconciliations(app: FastifyInstance, parts: ConsoleEdge): void {
  const { edge } = parts
  const { operators: services, spool, limits } = edge
  mountSession(app, parts, consoleEndpoints.listReconciliations, async () => ({
    scheduled: services.reconciled,
    upstreams: services.reconcilable.map(({ name, tellsFigures }) => ({ name, tells_figures: tellsFigures })),
    data: (await services.reconciliations.list(RUNS)).map(renderRun),
  }))
  mountSession(app, parts, consoleEndpoints.startReconciliation, async ({ request, session, query }) => {
    const sizes = { fileBytesMax: INVOICE_BYTES_MAX, filesMax: 1, stallMs: limits.configured.uploadStallMs }
    const form = await readForm(request.raw, spool, sizes)
    let id: string | null = null
    try {
      const file = invoiceOf(form)
      const invoice = file === null ? null : { content: file.content, form: columnsOf(query) }
      const { upstream, day } = query
      id = await startReconciliation(services, operatorOf(session), { upstream, day, invoice })
    } finally {
      // A run that was begun keeps the file until its end.
      if (id === null) await form.discard()
    }
    return { id }
  })
  mountSession(app, parts, consoleEndpoints.getReconciliation, async ({ path: { run_id: id } }) => {
    const report = await services.reconciliations.findReport(id)
    if (report !== null) return renderReport(report)
    throw new ServiceError('job_not_found', 'There is no such reconciliation, or it came to no verdict.')
  })
}

/** @throws {ServiceError} `invalid_value` for a form with anything else. */
function invoiceOf({ fields, files }: Form): FormFile | null {
  const [file] = files
  const odd = fields[0]?.name ?? (file === undefined || file.name === 'file' ? null : file.name)
  const problem = odd !== null ? odd : file?.content.byteLength === 0 ? 'file' : null
  if (problem === null) return file ?? null
  const text = odd === null ? 'The file is empty.' : `The form takes a file named 'file', and nothing else.`
  throw new ServiceError('invalid_value', text, { param: problem })
}

function columnsOf(query: ReconciliationQuery) {
  const columns = Object.keys(invoiceColumns) as readonly InvoiceColumn[]
  const named = columns.flatMap((column): [InvoiceColumn, string][] => {
    const header = query[column]
    return header === undefined ? [] : [[column, header]]
  })
  return { headers: new Map(named), offsetMinutes: parseUtcOffset(query.utc_offset ?? '+00:00') ?? 0 }
}

function renderRun({ runId, startedAt, startedBy, endedAt, ...run }: ReconciliationRun) {
  return { ...run, id: runId, started_at: secondsOf(startedAt), by: startedBy, ended_at: secondsOf(endedAt) }
}

const renderSide = ({ rows, cost }: Side) => ({ rows, usd: usdJson(cost as Nanocredits) })

const renderSides = ({ here, there }: Pick<ReconciliationReport, 'here' | 'there'>) => ({
  here: renderSide(here),
  there: renderSide(there),
})

function renderReport(report: ReconciliationReport) {
  const { upstream, day, source, atEdge, unnamed, kinds, differences, notes } = report
  return {
    ...{ upstream, day, source, ...renderSides(report), at_edge: renderSide(atEdge), unnamed: renderSide(unnamed) },
    kinds: kinds.map((each) => ({ kind: each.kind, count: each.count, ...renderSides(each) })),
    differences: differences.map((each) => ({
      ...{ kind: each.kind, generation_id: each.generationId, request_ids: each.requestIds, model: each.model },
      ...renderSides(each),
    })),
    notes,
  }
}
