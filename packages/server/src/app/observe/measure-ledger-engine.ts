/**
 * Room `observe`: the ports of ledger and upstream with an observer between them and their adapters. The adapters do
 * not know of it; where nothing is measured or traced, there is no observer.
 */
import type { EngineResult, LedgerEngine } from '../../money/ledger/ledger-engine.ts'
import type { LedgerOperation } from '../../money/ledger/operations.ts'
import type { LedgerMetrics } from '../../telemetry/metrics/ledger-metrics.ts'
import { creditsForDisplay } from './credits-for-display.ts'

function countResult(metrics: LedgerMetrics, operation: LedgerOperation, result: EngineResult | undefined): void {
  if (result?.kind === 'busy') return
  metrics.operation(operation.kind)
  if (operation.kind === 'settle' && result?.kind === 'unknown_caller') metrics.chargedLate('lost')
  if (operation.kind !== 'settle' || result?.kind !== 'settled') return
  if (result.isLate) metrics.chargedLate(result.writeOff > 0n ? 'written_off' : 'charged')
  metrics.holdEnded(operation.end, creditsForDisplay(result.charge), creditsForDisplay(result.writeOff))
}

/** Counts the batches of an engine, the operations in them, and what they moved. */
export function measureLedgerEngine(engine: LedgerEngine, metrics: LedgerMetrics): LedgerEngine {
  return {
    ...engine,
    apply: async (operations) => {
      const startedMs = performance.now()
      try {
        const results = await engine.apply(operations)
        metrics.committed(operations.length, (performance.now() - startedMs) / 1_000)
        operations.forEach((operation, index) => countResult(metrics, operation, results[index]))
        return results
      } catch (error) {
        metrics.failed()
        throw error
      }
    },
  }
}
