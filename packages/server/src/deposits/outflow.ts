/** Outflows and deposit addresses as the sweeper sees them, without the statements behind them. */
export type { DepositAddressStore } from './deposit-address-store.ts'
export type { Outflow, OutflowStore } from './outflow-store.ts'
