import { expect, test } from 'vitest'
import { LineSlots } from './line-slots.ts'

test('requests of others take the places of lines, one line goes on always, and who asks first has room first', async () => {
  let others = 0
  let used = 0
  const slots = new LineSlots({ most: 3, running: () => others + used })
  const taken: number[] = []
  const releases: (() => void)[] = []
  const take = async (name: number): Promise<void> => {
    const release = await slots.take()
    used++
    taken.push(name)
    releases.push(() => {
      used--
      release()
    })
  }
  const waiting = [1, 2, 3, 4].map(take)
  await expect.poll(() => taken).toEqual([1, 2, 3])
  others = 10
  releases.shift()!()
  releases.shift()!()
  // One of three goes on, though there is room for it alone.
  expect(taken).toEqual([1, 2, 3])
  releases.shift()!()
  await expect.poll(() => taken).toEqual([1, 2, 3, 4])
  await Promise.all(waiting)
})
