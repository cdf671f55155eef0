import type { ChainId } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { SecondPrice } from './ask-price-opinion.ts'
import type { DepositAddressStore } from './deposit-address-store.ts'
import type { DepositPolicy } from './deposit-policy.ts'
import type { DepositStore } from './deposit-store.ts'
import type { Deposit } from './deposit.ts'
import type { InflowStore } from './inflow-store.ts'
import type { RecordingStore } from './recording-store.ts'
import type { OutflowStore } from './outflow.ts'
import type { WalletStore } from './wallet-store.ts'

/** Everything that turns what a chain says into credits. */
export interface SettleDeps {
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  readonly policy: DepositPolicy
  readonly deposits: DepositStore
  readonly addresses: Pick<DepositAddressStore, 'findOwners'>
  readonly wallets: Pick<WalletStore, 'findOwners'>
  readonly outflows: Pick<OutflowStore, 'sumOf'>
  readonly inflows: InflowStore
  readonly recording: RecordingStore
  /** Second sources of the price of ETH, by chain. */
  readonly secondPrices: ReadonlyMap<ChainId, SecondPrice>
  /** Whether what named people was removed from an account: no person is left who could spend its credits. */
  readonly isErased: (accountId: string) => Promise<boolean>
  readonly ledger: Pick<Ledger, 'submit'>
  readonly clock: Clock
  /** Called with each deposit that this process has credited. */
  readonly onCredited?: (deposit: Deposit) => void
  /** Called with each deposit that an operator must look at. */
  readonly onReview?: (deposit: Deposit, note: string) => void
}
