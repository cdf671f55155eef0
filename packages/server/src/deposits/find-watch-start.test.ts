import { describe, expect, test } from 'vitest'
import type { BlockRef } from '../chain/chain-facts.ts'
import type { ChainView } from '../chain/chain-reader.ts'
import { findWatchStart } from './find-watch-start.ts'

const HOUR_MS = 3_600_000
/** A block each second. */
const timeOf = (block: number): number => block * 1_000
const blockOf = (number: number): BlockRef => ({ number, hash: `0x${'00'.repeat(32)}`, time: timeOf(number) })

/** Asks where to begin on a chain whose final block has that number. */
async function startOn(last: number, since: number | null, keptFrom = 0) {
  const asked: number[] = []
  const findBlock = async (number: number): Promise<BlockRef | null> => {
    asked.push(number)
    return number < keptFrom ? null : blockOf(number)
  }
  const start = await findWatchStart(
    { watch: { findFirstPayer: async () => since } },
    { chainId: 4663, view: { findBlock } as unknown as ChainView, finalized: blockOf(last) },
  )
  return { start, asked }
}

describe('the first block that is watched', () => {
  test('is the next one where no address was given out', async () => {
    expect(await startOn(50_000, null)).toEqual({ start: 50_000, asked: [] })
  })

  test.each([
    [10_000_000, 9_000_000],
    [10_000_000, 9_999_999],
    [3_601, 3_601],
  ])('on a chain of %i blocks lies an hour before block %i, when the first address was made', async (last, made) => {
    const { start, asked } = await startOn(last, timeOf(made))
    expect(start).toBe(made - 3_600)
    expect(asked.length).toBeLessThan(30)
  })

  test('is the first of a chain that is younger than the address', async () => {
    expect((await startOn(3_000, timeOf(1_000))).start).toBe(0)
    expect((await startOn(1, timeOf(1))).start).toBe(0)
    expect((await startOn(0, 5)).start).toBe(0)
  })

  test('is the next one where the chain has made no block since before the address', async () => {
    expect((await startOn(50, timeOf(50) + 2 * HOUR_MS)).start).toBe(50)
  })

  test('is among the blocks that the provider still has', async () => {
    expect((await startOn(100_000, timeOf(20_000), 60_000)).start).toBe(59_999)
  })
})
