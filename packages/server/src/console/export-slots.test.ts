import { setImmediate as oneTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ExportSlots } from './export-slots.ts'

/** A file whose pieces are there at once, as those of embedded storage are. */
async function* pieces(count: number, onPiece: () => void = () => undefined): AsyncGenerator<string> {
  for (let index = 0; index < count; index++) {
    onPiece()
    yield `${index},`
  }
}

test('others run between any two pieces of a file', async () => {
  let turns = 0
  let isOver = false
  const turnsAt: number[] = []
  const count = async (): Promise<void> => {
    for (; !isOver; turns++) await oneTurn()
  }
  const counting = count()
  const file = await new ExportSlots().make('a', () => pieces(100, () => turnsAt.push(turns)))
  let text = ''
  for await (const piece of file) text += String(piece)
  isOver = true
  await counting
  expect(text).toBe(Array.from({ length: 100 }, (_value, index) => `${index},`).join(''))
  for (const [index, turn] of turnsAt.entries()) expect(turn).toBeGreaterThanOrEqual(index)
})

test('a file is made no faster than it is read', async () => {
  let made = 0
  const file = await new ExportSlots().make('a', () => pieces(100_000, () => made++))
  await new Promise((resolve) => file.once('readable', resolve))
  for (let turn = 0; turn < 30_000 && made < 50_000; turn++) await oneTurn()
  expect(made).toBeLessThan(30_000)
  file.destroy()
})

test('an account has two at once, and a place back at every end', async () => {
  const slots = new ExportSlots()
  const make = (accountId = 'a') => slots.make(accountId, () => pieces(3))
  const [read, broken] = [await make(), await make()]
  await expect(make()).rejects.toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 5 })
  const other = await make('b')
  other.destroy()
  for await (const _piece of read) expect(read.destroyed).toBe(false)
  await oneTurn()
  const third = await make()
  broken.destroy()
  await oneTurn()
  expect(await slots.make('a', () => null)).toBeNull()
  await expect(slots.make('a', () => Promise.reject(new Error('no such month')))).rejects.toThrow('no such month')
  const fourth = await make()
  await expect(make()).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  for (const file of [third, fourth]) file.destroy()
})
