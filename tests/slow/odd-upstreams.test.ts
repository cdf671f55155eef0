/** Some random dialects of upstreams. `npm run odd-upstreams` asks thousands. */
import { expect, test } from 'vitest'
import { oddFaultsOf, runOddUpstreams } from '../../proof/odd-upstreams/run-odd-upstreams.ts'

const UPSTREAMS = 150
/** The same dialects each time: new ones are for the command, which repeats and reports what it finds. */
const SEED = 1

test(`an upstream may be as odd as it likes: clients read its answers, and pay for what came (seed ${SEED})`, async () => {
  const place = { engine: 'sqlite', postgresUrl: null } as const
  const end = await runOddUpstreams({ ...place, seed: SEED, upstreams: UPSTREAMS, first: 0, connections: 12 })
  expect(oddFaultsOf(end), `repeat with npm run odd-upstreams -- --upstreams ${UPSTREAMS} --seed ${SEED}`).toEqual([])
  expect(end.asked).toBe(UPSTREAMS * 8)
  expect(Math.min(end.whole, end.failed, end.charged)).toBeGreaterThan(UPSTREAMS)
})
