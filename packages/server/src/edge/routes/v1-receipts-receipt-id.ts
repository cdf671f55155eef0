import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { makeReceipt } from '../../money/ledger-log/make-receipt.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import type { LogRoutesDeps } from '../log-routes.ts'
import { mountKeyed } from '../route.ts'

/** GET /v1/receipts/{receipt_id}. What was booked, with the proof that it is in the ledger log. */
export function v1ReceiptsReceiptId(app: FastifyInstance, deps: LogRoutesDeps): void {
  mountKeyed(app, deps, endpoints.getReceipt, ({ request, reply }, caller) => {
    const { receipt_id: id } = parseBySchema(endpoints.getReceipt.request.path, request.params)
    reply.header('cache-control', 'no-store')
    return makeReceipt(deps.ledgerLog, caller, id)
  })
}
