/**
 * The books of a proxy that does nothing else: a hold before each request and a capture behind it, written by the
 * gateway's own ledger, as durable as there. Whose request it is, and what it costs, is given and never worked out, so
 * that this is the least that a charged request can cost on an engine.
 */
import { createKeyStore } from '../packages/server/src/access/keys/key-store.ts'
import { createLedgerEngine } from '../packages/server/src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../packages/server/src/money/ledger/ledger.ts'
import { openDatabase } from '../packages/server/src/platform/db/open-database.ts'
import { CHECKPOINT_WORKER } from '../packages/server/testing/fresh-database.ts'
import { capture, placeHold, pricedFacts } from '../packages/server/testing/ledger-operations.ts'
import type { BookedCaller } from './program-settings.ts'

/** What each request holds, costs the caller and costs us, in nanocredits: about what the gateway books of it. */
const HELD = 2_000_000n
const CHARGE = 385_200n
const COST = 321_000n

export interface ProxyBooks {
  /** Holds credits for a request. @throws {Error} where there are too few. */
  hold(): Promise<string>
  /** Charges what was held for. @throws {Error} where it was charged before. */
  capture(holdId: string): Promise<void>
}

/** Opens a database that a gateway has made, and the books of one key of it. */
export async function openProxyBooks({ place, keyId }: BookedCaller): Promise<ProxyBooks> {
  const database = await openDatabase({ ...place, checkpointWorker: CHECKPOINT_WORKER })
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const key = await createKeyStore(database).findValidById(keyId, Date.now())
  if (key === null) throw new Error(`there is no key ${keyId}`)
  const caller = { ...key, keyBudgetId: key.budgetId }
  const facts = pricedFacts(CHARGE, COST)
  return {
    async hold() {
      const placed = placeHold(caller, { fixed: HELD, flush: 'with_end', now: Date.now() })
      const { kind } = await ledger.submit(placed)
      if (kind !== 'placed') throw new Error(`the hold was ${kind}`)
      return placed.holdId
    },
    async capture(holdId) {
      const { kind } = await ledger.submit(capture(holdId, CHARGE, { facts, now: Date.now() }))
      if (kind !== 'settled') throw new Error(`the capture was ${kind}`)
    },
  }
}
