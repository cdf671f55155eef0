/**
 * A PostgreSQL cluster as operators have it, by the files that ship: two primaries for a while, and a gateway that is lost
 * with what it could not settle. `npm run chaos -- --cluster` plays all that can happen to it.
 */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../packages/server/testing/random.ts'
import { missingForCluster } from '../../proof/chaos/cluster/cluster-programs.ts'
import { runCluster } from '../../proof/chaos/cluster/run-cluster.ts'

const { seed } = createRandom()
const missing = missingForCluster()
/** Minutes: the cluster starts, each event waits for a lease that runs out. */
const TIME = 900_000

const lacks = missing.length === 0 ? '' : `, for want of ${missing.join('; ')}`

describe.skipIf(missing.length > 0)(`a PostgreSQL cluster${lacks}`, () => {
  test(`that fails over agrees with what was told and with the invoice (seed ${seed})`, { timeout: TIME }, async () => {
    const events = ['patroni', 'lost'] as const
    const report = await runCluster({ seed, setup: 'recommended', events, rate: 8, streams: 12, logs: null })
    const faults = report.events.flatMap((event) => event.faults.map((fault) => `${event.what}: ${fault}`))
    expect([...faults, ...report.faults]).toEqual([])
    for (const { sums, lostCharges } of report.events) {
      expect([sums.told, sums.ledger]).toEqual([sums.invoice, sums.invoice])
      expect(sums.answers).toBeGreaterThan(0)
      expect(lostCharges).toBe(0)
    }
  })
})
