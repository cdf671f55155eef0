/** A few rounds on each engine in which something fails under load. `npm run chaos` plays hundreds. */
import { expect, test } from 'vitest'
import { createRandom } from '../../packages/server/testing/random.ts'
import { describeEachEngine, findPostgres } from '../../packages/server/testing/test-database.ts'
import type { Disturbance } from '../../proof/chaos/rounds/disturbances.ts'
import { runRounds } from '../../proof/chaos/rounds/run-rounds.ts'
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'

const { seed } = createRandom()

/** One round of each. */
const PLAYED: Readonly<Record<DatabaseEngine, readonly Disturbance[]>> = {
  sqlite: ['kill'],
  postgres: ['cut', 'kill'],
}

describeEachEngine('while networks, clocks and processes fail', (engine) => {
  test(`what clients were told, the ledger and the invoice agree (seed ${seed})`, async () => {
    const among = PLAYED[engine]
    const report = await runRounds({
      ...{ engine, seed, first: 0, rounds: among.length, among, clients: 6, processes: 2, stages: 1 },
      postgresUrl: findPostgres(),
    })
    const faults = report.rounds.flatMap((round) => round.faults.map((fault) => `${round.what}: ${fault}`))
    expect([...faults, ...report.faults], `repeat with npm run chaos -- --kills 0 --seed ${seed}`).toEqual([])
    expect(report.rounds.map(({ disturbance }) => disturbance)).toEqual(among)
    expect(report.rounds.every(({ whole, charged }) => whole > 0 && charged > 0)).toBe(true)
  })
})
