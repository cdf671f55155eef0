import type { AnnouncementStore } from '../../access/operators/announcement.ts'
import type { ChainId } from '../../chain/assets.ts'
import type { ChainReader } from '../../chain/chain-reader.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { GatewayLimitServices } from './change-gateway-limits.ts'
import type { OfferServices } from './change-offers.ts'
import type { ComparedPrice } from '../../catalog/compare-prices.ts'
import type { AuditRuns } from '../../money/ledger/audit-runs.ts'
import type { Overview } from '../../money/billing/read-overview.ts'
import type { ReconciliationStore } from '../../money/reconciliation/reconciliation.ts'
import type { FindRequestDeps } from './find-request.ts'
import type { ChangeSettingsDeps } from './change-settings.ts'
import type { EraseDeps } from './erase-account.ts'
import type { ExportDeps } from './export-account.ts'
import type { ManageOperatorsDeps } from './manage-operators.ts'
import type { OperationsDeps } from './operations-deps.ts'
import type { Reconciliations } from './start-reconciliation.ts'
import type { UpstreamState } from './upstream-state.ts'

/** Everything that the operator's pages are given. */
export interface OperatorServices extends OperationsDeps, ChangeSettingsDeps, ManageOperatorsDeps, ExportDeps {
  readonly writesOf: OperationsDeps['writesOf']
  readonly erasing: EraseDeps
  /** Empty where deposits are off. */
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  /** What is wrong with chains, in sentences that name no address. */
  readonly chainProblems: () => readonly string[]
  readonly prices: () => readonly ComparedPrice[]
  readonly compare: (catalog: Catalog) => readonly ComparedPrice[]
  readonly offers: OfferServices
  readonly gatewayLimits: GatewayLimitServices
  /** Featured aliases that are not sold, because their price is unknown. */
  readonly unsoldAliases: () => readonly string[]
  readonly upstreams: () => readonly UpstreamState[]
  readonly audits: AuditRuns
  readonly announcements: Pick<AnnouncementStore, 'list' | 'listShown'>
  readonly requests: FindRequestDeps
  /** @throws {ServiceError} `server_is_overloaded` while another is made, and for one that takes too long. */
  readonly readOverview: (span: { readonly from: number; readonly to: number }) => Promise<Overview>
  readonly reconciliations: Pick<ReconciliationStore, 'list' | 'findReport'>
  readonly reconciler: Pick<Reconciliations, 'start'>
  /** Upstreams whose days are reconciled by themselves. */
  readonly reconciled: readonly string[]
  /** All upstreams, and whether each tells what it has billed. */
  readonly reconcilable: readonly { readonly name: string; readonly tellsFigures: boolean }[]
}
