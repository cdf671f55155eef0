import { expect, test } from 'vitest'
import { StoreLink } from './store-link.ts'

const never = (): Promise<never> => new Promise(() => undefined)

function createLink(probe: () => Promise<unknown>) {
  const logged: string[] = []
  const note = (...told: readonly unknown[]): void => void logged.push(String(told.at(-1)))
  const link = new StoreLink({ log: { warn: note, info: note }, metrics: null, probe, answerMs: 1 })
  return { link, logged }
}

test('a store that never answers is left alone after its time, and the failure is reported once', async () => {
  const { link, logged } = createLink(never)
  expect(await link.ask(() => Promise.resolve({ answer: 1 }))).toEqual({ answer: 1 })
  expect(await Promise.all([link.ask(never), link.ask(never)])).toEqual([null, null])
  expect(link.isDown).toBe(true)
  let asked = 0
  expect(await link.ask(() => Promise.resolve({ asked: ++asked }))).toBeNull()
  expect(asked).toBe(0)
  expect(logged).toHaveLength(1)
})

test('a question that throws at once is a store that is down, too', async () => {
  const { link } = createLink(never)
  const broken = (): Promise<object> => {
    throw new Error('no pool')
  }
  expect(await link.ask(broken)).toBeNull()
  expect(link.isDown).toBe(true)
})

test('one probe at a time waits for a store that is down, and the first that is answered ends the outage', async () => {
  const open: (() => void)[] = []
  const { link, logged } = createLink(() => new Promise<void>((resolve) => open.push(resolve)))
  expect(await link.probe()).toBe(false)
  await link.ask(() => Promise.reject(new Error('the database is away')))
  expect(await link.probe()).toBe(false)
  expect(await link.probe()).toBe(false)
  expect(open).toHaveLength(1)
  open[0]?.()
  // The late answer is no change by itself: the next probe asks again.
  await new Promise((resolve) => setImmediate(resolve))
  const probed = link.probe()
  open[1]?.()
  expect(await probed).toBe(true)
  expect(link.isDown).toBe(false)
  expect(logged).toHaveLength(2)
})
