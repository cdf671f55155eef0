/** How the routes of the ledger log are mounted: for keys, or for everybody where the operator publishes the log. */
import type { Endpoint } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ReceiptDeps } from '../money/ledger-log/make-receipt.ts'
import type { LedgerLog } from '../money/ledger-log/ledger-log.ts'
import type { RouteKit } from './route-kit.ts'
import { mountKeyed, mountPublic, type RouteCall } from './route.ts'

export interface LogRoutesDeps extends RouteKit {
  readonly ledgerLog: ReceiptDeps & { readonly log: LedgerLog; readonly isPublished: boolean }
}

/** Mounts an endpoint that reads the log. */
export function mountLog(
  app: FastifyInstance,
  deps: LogRoutesDeps,
  endpoint: Endpoint,
  handle: (call: RouteCall) => unknown,
): void {
  if (deps.ledgerLog.isPublished) mountPublic(app, deps, endpoint, handle)
  else mountKeyed(app, deps, endpoint, handle)
}
