import { nanocreditsOf } from '@svc/contract'
import type { DatabasePlace } from '../packages/server/testing/fresh-database.ts'
import { openGatewayBooks } from '../packages/server/testing/gateway-rig.ts'
import { systemClock } from '../packages/server/src/platform/runtime/clock.ts'

/** Never used up by a past: a hundred million credits. */
const CREDITS = nanocreditsOf(100_000_000n * 1_000_000_000n)
/** One key of so many has a budget that starts anew each day. */
const DAILY_EACH = 10

export interface PastKey {
  readonly accountId: string
  readonly keyId: string
  readonly rawKey: string
}

/** Makes accounts with credits and two keys each, as if it were then, and the schema where there is none. */
export async function createPastKeys(
  place: DatabasePlace,
  { accounts, at, pepper }: { readonly accounts: number; readonly at: number; readonly pepper: string },
): Promise<readonly PastKey[]> {
  const books = await openGatewayBooks(place, pepper, { clock: { ...systemClock, now: () => at } })
  const keys: PastKey[] = []
  try {
    for (let number = 1; number <= accounts; number++) {
      const owner = await books.createAccount(`past ${number}`, CREDITS)
      for (const name of ['first', 'second']) {
        const period = keys.length % DAILY_EACH === DAILY_EACH - 1 ? 'daily' : 'none'
        const { keyId, rawKey } = await books.createKey(owner, { name, budget: { limit: CREDITS, period } })
        keys.push({ accountId: owner.accountId, keyId, rawKey })
      }
    }
  } finally {
    await books.close()
  }
  return keys
}
