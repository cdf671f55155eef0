import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { sendReceipt } from '../send-receipt.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { numberText } from '../../platform/json/json-body.ts'
import type { DepositRoutesDeps } from './deposit-routes-deps.ts'
import { mountAtBothAddresses } from '../../edge/mount-at-both-addresses.ts'
import { readObjectBody } from '../../edge/read-object-body.ts'

/** POST /notify/deposit. Source: spec 2.10, 4, 6. */
export function notifyDeposit(app: FastifyInstance, deps: DepositRoutesDeps): void {
  mountAtBothAddresses(app, deps, endpoints.notifyDeposit, async (call) => {
    const { caller, value, text } = await readObjectBody(deps, call, endpoints.notifyDeposit)
    const { email, txHash, asset, credits } = parseBySchema(endpoints.notifyDeposit.request.body, value)
    return sendReceipt(deps.deposits.receipts, caller, {
      ...{ email, txHash, asset },
      credits: numberText(text, ['credits']) ?? String(credits),
    })
  })
}
