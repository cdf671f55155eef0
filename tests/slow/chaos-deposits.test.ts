/** A few kills on each engine while deposits arrive. `npm run chaos:deposits` does many. */
import { describe, expect, test } from 'vitest'
import { hasEvm } from '../../packages/server/testing/evm-chain.ts'
import { createRandom } from '../../packages/server/testing/random.ts'
import { describeEachEngine, findPostgres } from '../../packages/server/testing/test-database.ts'
import { runDepositChaos } from '../../proof/chaos/run-deposit-chaos.ts'
import { runDepositRounds } from '../../proof/chaos/run-deposit-rounds.ts'

const KILLS = 2
const ROUNDS = 10
const { seed } = createRandom()

describe.skipIf(!hasEvm())('killed at random moments while deposits arrive', () => {
  describeEachEngine('gateways', (engine) => {
    test(`credit each deposit once (seed ${seed})`, async () => {
      const report = await runDepositChaos({ engine, seed, kills: KILLS, processes: 1, postgresUrl: findPostgres() })
      const repeat = `repeat with npm run chaos:deposits -- --kills ${KILLS} --seed ${seed} --database ${engine}`
      expect(report.differences, repeat).toEqual([])
      expect(report.audit.code, report.audit.output).toBe(0)
      expect(report.payments).toBeGreaterThan(0)
      expect(report.claims).toBeGreaterThan(0)
    })
  })
})

describe.skipIf(!hasEvm())('while nodes trace, do not trace and fail in turns', () => {
  describeEachEngine('processes', (engine) => {
    test(`credit what was paid, however it became known (seed ${seed})`, async () => {
      const report = await runDepositRounds({ engine, seed, rounds: ROUNDS, postgresUrl: findPostgres() })
      const repeat = `npm run chaos:deposits -- --kills 0 --rounds ${ROUNDS} --seed ${seed} --database ${engine}`
      expect(report.differences, `repeat with ${repeat}`).toEqual([])
      expect(report.rounds).toBe(ROUNDS)
    })
  })
})
