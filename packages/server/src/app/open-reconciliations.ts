/** Reconciliations that a page asks for, beside the requests. Part of the composition. */
import type { Config } from '../config/config.ts'
import { readInvoice } from '../money/reconciliation/read-invoice.ts'
import {
  beginReconciliation,
  type ReconciliationDeps,
  ReconciliationError,
  ReconciliationRunsError,
} from '../money/reconciliation/reconciliation-runs.ts'
import type { AskedReconciliation, Reconciliations } from '../operations/actions/start-reconciliation.ts'
import type { Logger } from '../platform/runtime/log.ts'

/** Puts them together. */
export function openReconciliations(
  deps: ReconciliationDeps & { readonly config: Pick<Config, 'upstreams' | 'proxy'>; readonly log: Logger },
): Reconciliations {
  const { config, log } = deps
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  async function begin({ upstream, day, invoice }: AskedReconciliation, by: string) {
    stopping.signal.throwIfAborted()
    if (!config.upstreams.some(({ name }) => name === upstream)) {
      throw new ReconciliationError(`There is no upstream ${upstream}.`, { part: 'upstream' })
    }
    const lines = invoice === null ? null : () => readInvoice(invoice.content.stream(), invoice.form)
    return await beginReconciliation(deps, { upstream, day, by, lines }, stopping.signal)
  }

  /** Waits for the end of a run, which notes itself what came of it. */
  async function follow(asked: AskedReconciliation, ended: Promise<unknown>): Promise<void> {
    try {
      await ended
    } catch (error) {
      if (stopping.signal.aborted || error instanceof ReconciliationError) return
      log.error({ upstream: asked.upstream, err: error }, 'a reconciliation did not come to an end')
    } finally {
      await asked.invoice?.content.discard()
    }
  }

  return {
    async start(asked, by) {
      try {
        const { runId, ended } = await begin(asked, by)
        const followed = follow(asked, ended).finally(() => running.delete(followed))
        running.add(followed)
        return runId
      } catch (error) {
        if (error instanceof ReconciliationRunsError) return null
        throw error
      }
    },
    async close() {
      stopping.abort(new Error('the gateway stops'))
      await Promise.all(running)
    },
  }
}
