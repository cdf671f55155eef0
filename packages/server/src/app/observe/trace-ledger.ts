import { codeOf } from '../../platform/errors/code-of.ts'
import type { Ledger, Urgency } from '../../money/ledger/ledger.ts'
import type { LedgerOperation, ResultOf } from '../../money/ledger/operations.ts'
import type { Tracing } from '../../telemetry/tracing/tracing.ts'

/**
 * Has a span for each money operation of a request: from its submission until it is durable. Amounts are left out.
 */
export function traceLedger(ledger: Pick<Ledger, 'submit'>, tracing: Tracing): Pick<Ledger, 'submit'> {
  return {
    submit: async <Operation extends LedgerOperation>(
      operation: Operation,
      urgency?: Urgency,
    ): Promise<ResultOf<Operation>> => {
      const span = tracing.step(`ledger ${operation.kind}`, { 'svc.ledger.operation': operation.kind })
      if (span === null) return ledger.submit(operation, urgency)
      try {
        const result = await ledger.submit(operation, urgency)
        span.tell({ 'svc.ledger.result': result.kind })
        span.end(null)
        return result
      } catch (error) {
        span.end(codeOf(error))
        throw error
      }
    },
  }
}
