import { expect, test } from 'vitest'
import { watchLoopDelay } from '../../platform/runtime/loop-delay.ts'
import { WaitingBound, type WaitsFor } from './waiting-bound.ts'

function boundOf(loopMs: number, ledgerMs: number, refused: WaitsFor[] = []): WaitingBound {
  return new WaitingBound({
    ...{ mostMs: 1_000, loopMs: () => loopMs, ledgerMs: () => ledgerMs },
    onRefused: (waitsFor) => refused.push(waitsFor),
  })
}

test('a request is taken up to the bound, and refused beyond it', () => {
  expect(boundOf(0, 1_000).problem()).toBeNull()
  expect(boundOf(250, 0).problem()).toBeNull()
  expect(boundOf(0, 1_001).problem()).toMatchObject({ code: 'server_is_overloaded', retryAfterSeconds: 2 })
  expect(boundOf(100, 601).problem()).not.toBeNull()
})

test('a client is asked to wait for half a minute at most', () => {
  expect(boundOf(0, 600_000).problem()?.retryAfterSeconds).toBe(30)
})

test('a refusal is counted by what there is most to wait for', () => {
  const refused: WaitsFor[] = []
  boundOf(2_000, 1_000, refused).problem()
  boundOf(100, 1_000, refused).problem()
  expect(refused).toEqual(['event_loop', 'ledger'])
})

test('a loop that is kept busy is seen at once, and forgotten once it is not', async () => {
  const delay = watchLoopDelay()
  const until = performance.now() + 400
  while (performance.now() < until) void 0
  expect(delay.ms).toBeGreaterThan(60)
  await expect.poll(() => delay.ms, { timeout: 30_000 }).toBeLessThan(20)
  delay.stop()
})
