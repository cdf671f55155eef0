import { creditsJson, nanocreditsOf, type OperatorRequest, type Printed } from '@svc/contract'
import type { RequestRows } from '../../money/ledger/request-rows.ts'
import type { FoundRequest } from './find-request.ts'

const credits = (amount: bigint) => creditsJson(nanocreditsOf(amount))

const timeText = (time: number): string => new Date(time).toISOString()

/** A request as pages and commands give it. */
export function renderRequest(found: FoundRequest): Printed<OperatorRequest> {
  const { operator, ...record } = found.charge
  const { attempts, receipt, receiptProblem } = found
  return {
    record,
    operator,
    ...renderRows(found),
    attempts: attempts.map(({ upstream, upstreamModel, failure, generationId, cost, endedAt }) => ({
      ...{ upstream, upstream_model: upstreamModel, failure, generation_id: generationId },
      credits_cost: cost === null ? null : credits(cost),
      ended_at: endedAt === null ? null : timeText(endedAt),
    })),
    receipt,
    receipt_problem: receiptProblem,
  }
}

function renderRows({ hold, transfers }: RequestRows) {
  return {
    hold:
      hold === null
        ? null
        : {
            ...{ state: hold.state, credits: credits(hold.amount), credits_at_first: credits(hold.firstAmount) },
            extensions: hold.extensions.map(({ added, at }) => ({ credits: credits(added), at: timeText(at) })),
            placed_at: timeText(hold.placedAt),
            ended_at: hold.endedAt === null ? null : timeText(hold.endedAt),
            process_id: hold.processId,
          },
    transfers: transfers.map(({ id, kind, reason, createdAt, ...amounts }) => ({
      ...{ id, kind },
      credits_charged: credits(amounts.charge),
      credits_written_off: credits(amounts.writeOff),
      credits_cost: credits(amounts.cost),
      credits_margin: credits(amounts.margin),
      credits_funded: credits(amounts.funding),
      ...{ reason, created_at: timeText(createdAt) },
    })),
  }
}
