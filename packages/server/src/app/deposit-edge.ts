/** What the endpoints of deposits, and of keys that follow others, are given. Part of the composition. */
import { nanocreditsOf } from '@svc/contract'
import { createBalanceStore } from '../money/billing/balance-store.ts'
import { ASSETS } from '../chain/assets.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../platform/db/database.ts'
import { FinalityLags } from '../deposits/finality-lags.ts'
import { UNKNOWN_SECONDS } from '../deposits/claim-deposit.ts'
import { createDepositStore } from '../deposits/deposit-store.ts'
import { PresentPrices } from '../deposits/present-prices.ts'
import { createWalletStore } from '../deposits/wallet-store.ts'
import { UnknownTransactions } from '../deposits/unknown-transactions.ts'
import type { QuotaWindow } from '../admission/limits/call-quota.ts'
import type { LimitCounters } from '../admission/limits/limit-counters.ts'
import type { EdgeDeposits } from '../deposits/routes/deposit-routes-deps.ts'
import type { EdgeLimits } from '../edge/route-kit.ts'
import type { FollowerKeysDeps } from '../access/keys/follower-keys.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import type { MirrorKeyDeps } from '../access/keys/mirror-key.ts'
import { createMirrorStore } from '../access/keys/mirror-store.ts'
import type { OutboxDeps } from '../platform/mail/outbox.ts'
import type { OpenDeposits } from './open-deposits.ts'
import { hasLocalDeposits } from './open-local-chains.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A wallet takes two calls. Source: own choice. */
const WALLET_CALLS_PER_MINUTE = 20
const WALLET_CALLS_PER_DAY = 200

export interface DepositEdgeParts {
  readonly config: Config
  readonly database: Database
  readonly clock: SystemClock
  /** Null where no mail is sent. */
  readonly outbox: OutboxDeps | null
  /** What the gateway is called. */
  readonly brand: () => Promise<string>
  /** Null where deposits are off. */
  readonly deposits: Pick<OpenDeposits, 'settle' | 'offeringsOf' | 'readers'> | null
}

/** @param publicOrigin by which clients reach the gateway: asked when an address is made. */
export function depositEdge(
  parts: DepositEdgeParts,
  publicOrigin: () => string,
): { readonly deposits: EdgeDeposits; readonly mirrors: MirrorKeyDeps; readonly followers: FollowerKeysDeps } {
  const { config, database, clock } = parts
  const mirrorStore = createMirrorStore(database)
  const mirrors = { store: mirrorStore, peppers: config.peppers, clock }
  const followers = {
    ...{ store: createKeyStore(database), followers: mirrorStore, peppers: config.peppers },
    ...{ clock, gatewayLimits: config.limits },
  }
  return { deposits: edgeDeposits(parts, publicOrigin), mirrors, followers }
}

function edgeDeposits(parts: DepositEdgeParts, publicOrigin: () => string): EdgeDeposits {
  const { config, database, clock, deposits } = parts
  const store = createDepositStore(database)
  const balances = createBalanceStore(database)
  const chains = config.deposits?.chains ?? []
  const minimumUsd = config.deposits?.minimumUsd ?? '0'
  const wallets = createWalletStore(database)
  const lags = deposits === null ? null : new FinalityLags(deposits.readers, clock)
  const linksWallets = deposits !== null && config.deposits?.mode === 'treasury'
  return {
    claims: {
      ...{ store, minimumUsd, clock, lags },
      settle: deposits?.settle ?? null,
      enabled: new Map(chains.map(({ chainId }) => [chainId, ASSETS])),
      unknown: new UnknownTransactions(clock, UNKNOWN_SECONDS * 1_000),
      readPosted: async (accountId) => nanocreditsOf((await balances.findBalance(accountId))?.posted ?? 0n),
    },
    places: {
      mode: config.deposits?.mode === 'treasury' ? 'wallet' : 'address',
      minimumUsd,
      isLocal: hasLocalDeposits(config),
      offeringsOf: (accountId) => deposits?.offeringsOf(accountId) ?? Promise.resolve([]),
    },
    receipts: {
      ...{ store, outbox: parts.outbox, brand: parts.brand },
      linkOf: (teamId) => `${publicOrigin()}/console/team/${teamId}/fund`,
      isLocal: hasLocalDeposits(config),
    },
    prices: new PresentPrices({ chains: deposits?.readers ?? new Map(), clock }),
    wallets: {
      store: wallets,
      linking: linksWallets ? { wallets, chains: deposits.readers, origin: publicOrigin, clock } : null,
    },
  }
}

/** How often a key may claim, mirror and link. */
export function depositLimits({
  config,
  limits,
}: Pick<DepositEdgeParts, 'config'> & { readonly limits: LimitCounters }): Pick<
  EdgeLimits,
  'claims' | 'mirrors' | 'wallets'
> {
  const configured = (
    name: 'claimsPerMinute' | 'claimsPerDay' | 'mirrorsPerMinute',
    withinMs: number,
  ): QuotaWindow => ({
    withinMs,
    get max() {
      return config.limits[name]
    },
  })
  return {
    claims: limits.calls('claims', [configured('claimsPerMinute', MINUTE_MS), configured('claimsPerDay', DAY_MS)]),
    mirrors: limits.calls('mirrors', [configured('mirrorsPerMinute', MINUTE_MS)]),
    wallets: limits.calls('wallets', [
      { max: WALLET_CALLS_PER_MINUTE, withinMs: MINUTE_MS },
      { max: WALLET_CALLS_PER_DAY, withinMs: DAY_MS },
    ]),
  }
}
