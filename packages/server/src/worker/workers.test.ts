import { expect, test } from 'vitest'
import { createManualTimer } from '../../testing/manual-timer.ts'
import { openTestDatabase } from '../../testing/test-database.ts'
import { OpenHolds } from '../money/billing/open-holds.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { LeaseObserver } from '../money/ledger/lease-observer.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { startWorkers, type WorkersDeps } from './workers.ts'

async function openWorkers(more: (ledger: Ledger) => Partial<WorkersDeps>) {
  const opened = await openTestDatabase('sqlite')
  const { database } = opened
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const timer = createManualTimer()
  const idle = { start: () => undefined, stop: () => undefined }
  const stop = await startWorkers({
    ...{ database, ledger, timer, openHolds: new OpenHolds(), clock: { now: () => 1_000 } },
    loopClock: { elapsed: () => 1_000 },
    processId: 'process-1',
    leases: new LeaseObserver({ clock: { elapsed: () => 1_000 }, leaseMs: 60_000 }),
    dataFolder: null,
    lookAgain: null,
    lostCharges: { look: () => Promise.resolve() },
    leftJournals: { replay: () => Promise.resolve(), has: () => false },
    leaseMs: 60_000,
    journalMs: 5_000,
    log: createLogger({ level: 'fatal' }),
    // There is no orphan here that would be priced.
    catalog: { find: () => null } as never,
    findCost: () => Promise.resolve(null),
    revocations: { ...idle, poll: () => Promise.resolve() },
    keyChanges: { ...idle, poll: () => Promise.resolve() },
    keyUses: { ...idle, note: () => undefined } as never,
    timings: idle as never,
    files: { sweep: () => Promise.resolve(0) },
    refreshCatalog: null,
    deliverMail: null,
    hasOwnPrices: () => true,
    videos: { tick: () => Promise.resolve(), stop: () => Promise.resolve() },
    ...more(ledger),
  })
  const lease = () => database.read.selectFrom('process_lease').selectAll().execute()
  return { timer, stop, lease, close: () => ledger.close().then(() => opened.close()) }
}

test('the list is asked for more often while there has been none', async () => {
  let asked = 0
  let isOwn = false
  const refreshCatalog = async (): Promise<void> => void asked++
  const workers = await openWorkers(() => ({ refreshCatalog, hasOwnPrices: () => isOwn }))
  await workers.timer.tick()
  const askedWithout = asked
  isOwn = true
  await workers.timer.tick()
  expect([askedWithout, asked]).toEqual([3, 4])
  await workers.stop()
  await workers.close()
})

test('files whose time is over are removed again and again', async () => {
  let swept = 0
  const workers = await openWorkers(() => ({ files: { sweep: () => Promise.resolve(++swept) } }))
  await workers.timer.tick()
  await workers.timer.tick()
  expect(swept).toBe(2)
  await workers.stop()
  await workers.close()
})

test('a stop waits for the journal that is under way, so that the lease ends after it', async () => {
  const gate = Promise.withResolvers<void>()
  let waits = false
  const workers = await openWorkers((ledger) => ({
    ledger: {
      submit: async (operation: Parameters<Ledger['submit']>[0]) => {
        if (waits) await gate.promise
        return ledger.submit(operation)
      },
    } as Ledger,
  }))
  waits = true
  const ticked = workers.timer.tick()
  const stopped = workers.stop()
  gate.resolve()
  await Promise.all([ticked, stopped])
  expect(await workers.lease()).toMatchObject([{ process_id: 'process-1', lease_until: 0 }])
  await workers.close()
})
