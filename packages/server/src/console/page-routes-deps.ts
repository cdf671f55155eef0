import type { ActingMember } from '../access/keys/acting-member.ts'
import type { InvoiceDeps, InvoiceStore } from '../money/invoices/issue-invoice.ts'
import type { ReadStatementDeps } from '../money/billing/read-statement.ts'
import type { ModelSpeedReader, ReadTimingsDeps } from '../money/billing/read-timings.ts'
import type { OperatorServices } from '../operations/actions/operator-services.ts'
import type { ConsoleDeps } from './console-deps.ts'
import type { ExportSlots } from './export-slots.ts'
import type { DepositRoutesDeps } from '../deposits/routes/deposit-routes-deps.ts'
import type { LogRoutesDeps } from '../edge/log-routes.ts'
import type { HealthRoutesDeps, ModelRoutesDeps, UsageRoutesDeps } from '../edge/routes-deps.ts'

/** The pages of the console: they show all that a team and an operator may see. */
export interface PageRoutesDeps
  extends ModelRoutesDeps, UsageRoutesDeps, DepositRoutesDeps, HealthRoutesDeps, LogRoutesDeps {
  readonly console: ConsoleDeps
  readonly statements: ReadStatementDeps
  readonly invoices: {
    readonly deps: InvoiceDeps
    /** What a member writes, while they may. */
    readonly writesOf: (by: ActingMember) => Pick<InvoiceStore, 'issue' | 'setDetails'>
  }
  readonly timings: ReadTimingsDeps & { readonly speeds: ModelSpeedReader }
  readonly exports: ExportSlots
  /** What the operator's pages are given. */
  readonly operators: OperatorServices
  /** Folder of the console's built pages. */
  readonly consoleFolder: string
}
