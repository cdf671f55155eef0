import { expect, test } from 'vitest'
import { settleDepsOn } from '../../testing/deposit-scene.ts'
import { createManualTimer } from '../../testing/manual-timer.ts'
import { describeEachEngine, openTestDatabase } from '../../testing/test-database.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { createChainWatch } from '../deposits/chain-watch.ts'
import { createRetryStore } from '../deposits/retry-store.ts'
import { createWatchStore } from '../deposits/watch-store.ts'
import { createDepositAddressStore } from '../deposits/deposit-address-store.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { steadyClock } from '../../testing/steady-clock.ts'
import { startWatchingDeposits } from './watch-deposits.ts'

const WATCH_MS = 1_000

describeEachEngine('two processes that watch a chain', (engine) => {
  test('have it one at a time; the other takes over when the first stops or falls silent', async () => {
    const open = await openTestDatabase(engine)
    const { database } = open
    const log = createLogger({ level: 'fatal', sink: { write: () => undefined } })
    let now = 1_000_000
    const clock = { now: () => now }
    const rounds: string[] = []
    /** A process whose rounds are noted instead of asking a chain. */
    const start = (processId: string) => {
      const round = (): Promise<never> => {
        rounds.push(processId)
        return Promise.resolve(undefined as never)
      }
      const reader: ChainReader = {
        chainId: 4663,
        problems: [],
        ask: round,
        askAnother: () => Promise.resolve(null),
        askEach: () => Promise.resolve([]),
        stop: () => undefined,
      }
      const ledger = { submit: () => Promise.reject(new Error('nothing is credited here')) }
      const watch = {
        ...settleDepsOn(database, ledger, { readers: [reader], clock }),
        addresses: createDepositAddressStore(database),
        watch: createWatchStore(database),
        retries: createRetryStore(database),
        onMistake: (error: unknown) => {
          throw error
        },
      }
      const timer = createManualTimer()
      const chains = [createChainWatch(watch, reader)]
      const stop = startWatchingDeposits({
        watch,
        chains,
        watchMs: WATCH_MS,
        processId,
        timer,
        clock: steadyClock(clock),
        log,
      })
      return { tick: () => timer.tick(), stop }
    }
    /** Lets both look so many times, and answers who did. */
    const look = async (times: number, ...processes: readonly { tick(): Promise<void> }[]): Promise<string> => {
      rounds.length = 0
      for (let at = 0; at < times; at++) {
        now += WATCH_MS
        for (const each of processes) await each.tick()
      }
      return rounds.join('')
    }

    const [a, b] = [start('a'), start('b')]
    expect(await look(3, a, b)).toBe('aaa')
    expect(await look(3, b, a)).toBe('aaa')
    // The first is killed: the second waits until the lease is over, and no longer.
    expect(await look(29, b)).toBe('')
    expect(await look(3, b)).toBe('bbb')
    // One that comes back after a long pause has lost it.
    expect(await look(3, a, b)).toBe('bbb')
    // An orderly stop hands over at once.
    await b.stop()
    expect(await look(2, a)).toBe('aa')
    // Both at the same moment: one of them.
    now += 60_000
    rounds.length = 0
    const c = start('c')
    await Promise.all([a.tick(), c.tick()])
    expect(rounds).toHaveLength(1)
    await Promise.all([a.stop(), c.stop()])
    await open.close()
  })

  test('a round that takes longer than the lease keeps it, and no longer than the round', async () => {
    const open = await openTestDatabase(engine)
    const log = createLogger({ level: 'fatal', sink: { write: () => undefined } })
    let now = 1_000_000
    const store = createWatchStore(open.database)
    const round = Promise.withResolvers<never>()
    const reader: ChainReader = {
      ...{ chainId: 4663, problems: [] },
      ask: () => round.promise,
      askEach: () => Promise.resolve([]),
      stop: () => undefined,
      askAnother: () => Promise.resolve(null),
    }
    const ledger = { submit: () => Promise.reject(new Error('nothing is credited here')) }
    const clock = { now: () => now }
    const watch = {
      ...settleDepsOn(open.database, ledger, { readers: [reader], clock }),
      addresses: createDepositAddressStore(open.database),
      watch: store,
      retries: createRetryStore(open.database),
      onMistake: () => undefined,
    }
    /** What repeats, by how often. */
    const repeating = new Map<number, () => Promise<void>>()
    const timer = {
      repeat: (intervalMs: number, task: () => Promise<void>) => {
        repeating.set(intervalMs, task)
        return () => repeating.delete(intervalMs)
      },
    }
    const stop = startWatchingDeposits({
      ...{
        watch,
        chains: [createChainWatch(watch, reader)],
        watchMs: WATCH_MS,
        processId: 'a',
        timer,
        clock: steadyClock(clock),
        log,
      },
    })
    const under = repeating.get(WATCH_MS)!()
    await expect.poll(() => repeating.size).toBe(2)
    const isFree = () => store.takeLease('deposits:4663', 'b', now, 1)
    for (let seconds = 0; seconds < 120; seconds += 10) {
      now += 10_000
      await repeating.get(10_000)!()
      expect(await isFree()).toBe(false)
    }
    // It hangs for good: nothing renews, and another one has it half a minute later.
    now += 29_000
    expect(await isFree()).toBe(false)
    round.resolve(undefined as never)
    await under
    expect([...repeating.keys()]).toEqual([WATCH_MS])
    now += 2_000
    expect(await isFree()).toBe(true)
    // A process that takes it by a clock a month ahead keeps it from no other for a month.
    await store.takeLease('deposits:4663', 'b', now + 30 * 86_400_000, 30_000)
    expect(await store.takeLease('deposits:4663', 'c', now, 30_000)).toBe(true)
    await stop()
    await open.close()
  })
})
