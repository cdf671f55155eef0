import type { ClaimDepositDeps } from '../claim-deposit.ts'
import type { DepositPlacesDeps } from '../deposit-places.ts'
import type { ManageWalletsDeps } from '../manage-wallets.ts'
import type { PresentPrices } from '../present-prices.ts'
import type { ReadTeamDepositsDeps } from '../read-team-deposits.ts'
import type { SendReceiptDeps } from '../send-receipt.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

export interface DepositRoutesDeps extends RouteKit {
  readonly deposits: EdgeDeposits
}

/** What the endpoints of deposits are given. */
export interface EdgeDeposits {
  readonly claims: ClaimDepositDeps & ReadTeamDepositsDeps
  readonly places: DepositPlacesDeps
  readonly prices: PresentPrices
  readonly receipts: SendReceiptDeps
  readonly wallets: ManageWalletsDeps
}
