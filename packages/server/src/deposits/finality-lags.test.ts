import { expect, test } from 'vitest'
import type { BlockRef, ChainHead } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import { FinalityLags } from './finality-lags.ts'

const block = (time: number): BlockRef => ({ number: 1, hash: `0x${'ab'.repeat(32)}`, time })

/** A chain that answers what the test says, once it says so. */
function chainOf() {
  const asked: PromiseWithResolvers<Pick<ChainHead, 'latest' | 'finalized'>>[] = []
  const ask: ChainReader['ask'] = (work) =>
    work({
      readHead: () => {
        const question = Promise.withResolvers<ChainHead>()
        asked.push(question as unknown as (typeof asked)[number])
        return question.promise
      },
    } as ChainView)
  return { asked, reader: { chainId: 4663, ask } as ChainReader }
}

test('no caller waits for a chain: what was read last is answered, and read anew where it is old', async () => {
  let now = 1_000_000
  const { asked, reader } = chainOf()
  const lags = new FinalityLags(new Map([[4663 as const, reader]]), { elapsed: () => now })
  expect([lags.lagOf(4663), lags.lagOf(4663), lags.lagOf(46630)]).toEqual([null, null, null])
  expect(asked).toHaveLength(1)
  asked[0]?.resolve({ latest: block(900_000), finalized: block(60_000) })
  await expect.poll(() => lags.lagOf(4663)).toBe(840_000)
  expect(asked).toHaveLength(1)

  now += 20_000
  expect(lags.lagOf(4663)).toBe(840_000)
  expect(asked).toHaveLength(2)
  asked[1]?.reject(new ChainUnavailableError('away'))
  await expect.poll(() => lags.lagOf(4663)).toBeNull()
  now += 20_000
  expect(lags.lagOf(4663)).toBeNull()
  asked[2]?.resolve({ latest: block(900_000), finalized: block(890_000) })
  await expect.poll(() => lags.lagOf(4663)).toBe(10_000)
})
