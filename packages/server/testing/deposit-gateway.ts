/** What a gateway is configured with so that it takes deposits on a chain of a test. */
import type { ConfigFile } from '../src/config/config-file.ts'
import { testXpub } from './deposit-scene.ts'
import type { EvmChain } from './evm-chain.ts'

/** A test makes blocks only when it wants to, so the newest may be old. */
const chainEntry = { head_age_max_ms: 3_600_000, finality_age_max_ms: 3_600_000 }

/** Environment and file for deposits on the main network, with limits that no test reaches unless it sets its own. */
export function depositSettings(
  chain: Pick<EvmChain, 'url'>,
  file: ConfigFile = {},
): { readonly env: Record<string, string>; readonly file: ConfigFile } {
  return {
    env: { SVC_RPC_URLS_4663: chain.url, SVC_DEPOSIT_XPUB: testXpub() },
    file: {
      ...file,
      limits: { claims_per_minute: 1_000_000, claims_per_day: 1_000_000, ...file.limits },
      deposits: { watch_ms: 600_000, ...file.deposits, chains: { 4663: { ...chainEntry } } },
    },
  }
}
