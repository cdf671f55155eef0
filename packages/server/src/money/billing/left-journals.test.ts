import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { capture, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { steadyClock } from '../../../testing/steady-clock.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { LeftJournals } from './left-journals.ts'
import { SettlementJournal } from './settlement-journal.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-left-'))
})
afterEach(() => rm(folder, { recursive: true }))

const MINUTES = 60_000

test('what a dead process left waits since it was settled, however often another process finds it', async () => {
  let now = TEST_NOW
  const clock = steadyClock({ now: () => now })
  const dead = new SettlementJournal({ folder, processId: 'dead', clock })
  await dead.write(capture('first', 7n, { now }))
  now += MINUTES
  await dead.write(capture('second', 7n, { now }))
  await dead.close()
  const away = (): never => {
    throw new ServiceError('server_is_overloaded', 'The ledger cannot be reached.')
  }
  for (const processId of ['another', 'and one more']) {
    now += 5 * MINUTES
    const left = new LeftJournals({
      ...{ folder, ownPath: join(folder, processId), clock, ledger: { submit: async () => away() } },
      ...{ onFound: () => undefined, onSettled: () => undefined, onRefused: () => undefined, onDone: () => undefined },
    })
    await left.replay()
    expect(left.figures()).toEqual({ waiting: 2, oldestMs: now - TEST_NOW })
    await left.close()
  }
})
