/** A reconciliation with an upstream that a command asks for, beside a gateway or without one. Part of the composition. */
import { createReadStream } from 'node:fs'
import type { Operator } from '../access/operators/journal.ts'
import type { OperatorConfig } from '../config/load-operator-config.ts'
import type { InvoiceForm } from '../money/reconciliation/read-invoice.ts'
import { readInvoice } from '../money/reconciliation/read-invoice.ts'
import {
  type EndedReconciliation,
  reconcile,
  ReconciliationError,
} from '../money/reconciliation/reconciliation-runs.ts'
import type { ReconcileWish } from '../operations/commands/admin-context.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { openFigures } from './open-figures.ts'

/** Nothing is reached through a proxy where the configuration names none. */
const NO_PROXY = { http: null, https: null, exceptions: [] }

/** @throws {ReconciliationError} as `reconcile`, and for an upstream that is not configured. */
export async function reconcileAlone(
  parts: {
    readonly database: Database
    readonly clock: Clock
    readonly config: Partial<Pick<OperatorConfig, 'upstreams' | 'proxy'>>
    readonly by: Operator
  },
  { upstream, day, file, form, archive }: ReconcileWish,
): Promise<EndedReconciliation> {
  const { database, clock, by } = parts
  const { upstreams = [], proxy = NO_PROXY } = parts.config
  if (!upstreams.some(({ name }) => name === upstream)) {
    const names = upstreams.map(({ name }) => name).join(', ')
    throw new ReconciliationError(`There is no upstream ${upstream}; the configuration names ${names}.`, {
      part: 'upstream',
    })
  }
  const figures = openFigures({ upstreams, proxy })
  try {
    const lines = file === null ? null : () => readInvoiceFile(file, form)
    return await reconcile({ database, clock, figures }, { upstream, day, by: by.name, lines, archive })
  } finally {
    await Promise.all([...figures.values()].map((each) => each.close()))
  }
}

/** @throws {ReconciliationError} when the file cannot be read. */
async function* readInvoiceFile(path: string, form: InvoiceForm) {
  try {
    yield* readInvoice(createReadStream(path), form)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'path' in error)) throw error
    throw new ReconciliationError(`The file ${path} cannot be read (${String(error.code)}).`, { cause: error })
  }
}
