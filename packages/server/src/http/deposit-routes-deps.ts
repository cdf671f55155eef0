import type { ClaimDepositDeps } from '../deposits/claim-deposit.ts'
import type { DepositPlacesDeps } from '../deposits/deposit-places.ts'
import type { ManageWalletsDeps } from '../deposits/manage-wallets.ts'
import type { ReadTeamDepositsDeps } from '../deposits/read-team-deposits.ts'
import type { SendReceiptDeps } from '../deposits/send-receipt.ts'
import type { RouteKit } from './route-kit.ts'

export interface DepositRoutesDeps extends RouteKit {
  readonly deposits: EdgeDeposits
}

/** What the endpoints of deposits are given. */
export interface EdgeDeposits {
  readonly claims: ClaimDepositDeps & ReadTeamDepositsDeps
  readonly places: DepositPlacesDeps
  readonly receipts: SendReceiptDeps
  readonly wallets: ManageWalletsDeps
}
