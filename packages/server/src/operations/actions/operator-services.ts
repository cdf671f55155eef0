import type { ChainId } from '../../chain/assets.ts'
import type { ChainReader } from '../../chain/chain-reader.ts'
import type { ComparedPrice } from '../../catalog/compare-prices.ts'
import type { AuditRuns } from '../../money/ledger/audit-runs.ts'
import type { ChangeSettingsDeps } from './change-settings.ts'
import type { ExportDeps } from './export-account.ts'
import type { ManageOperatorsDeps } from './manage-operators.ts'
import type { OperationsDeps } from './operations-deps.ts'
import type { UpstreamState } from './upstream-state.ts'

/** Everything that the operator's pages are given. */
export interface OperatorServices extends OperationsDeps, ChangeSettingsDeps, ManageOperatorsDeps, ExportDeps {
  readonly writesOf: OperationsDeps['writesOf']
  /** Empty where deposits are off. */
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  /** What is wrong with chains, in sentences that name no address. */
  readonly chainProblems: () => readonly string[]
  readonly prices: () => readonly ComparedPrice[]
  /** Featured aliases that are not sold, because their price is unknown. */
  readonly unsoldAliases: () => readonly string[]
  readonly upstreams: () => readonly UpstreamState[]
  readonly audits: AuditRuns
}
