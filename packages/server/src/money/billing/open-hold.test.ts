import { nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import type { Caller } from '../../access/keys/caller.ts'
import { OpenHold, openHold, type BillingDeps } from './open-hold.ts'
import { OpenHolds } from './open-holds.ts'
import { NO_FACTS } from './settlement.ts'

const deps: BillingDeps = {
  ledger: { submit: () => Promise.reject(new Error('nothing is submitted here')) },
  clock: { now: () => 0, elapsed: () => 0 },
  openHolds: new OpenHolds(),
  processId: 'process-1',
  consoleUrl: () => 'http://localhost/console',
}

function holdOf(units: number, limitUnits: number | null): OpenHold {
  const request = {
    requestId: 'hold-1',
    caller: {} as Caller,
    type: 'chat',
    model: 'svc-gpt',
    stream: false,
    fixed: nanocreditsOf(1_000n),
    perUnit: nanocreditsOf(100n),
    units: 50,
    policy: 'affordable',
    firstUnits: 50,
    flush: 'with_end',
    most: null,
  } as const
  return new OpenHold(deps, request, { units, limitUnits, placedAt: 0, startedAt: 0 })
}

test('a prompt that turns out smaller leaves more of the same hold for the answer', () => {
  const hold = holdOf(3, 3)
  const before = hold.amount
  hold.sharpen(nanocreditsOf(350n))
  expect([hold.units, hold.limitUnits]).toEqual([9, 9])
  expect(hold.amount).toBeLessThanOrEqual(before)
})

test('a sharper bound never asks for more than the model can make, and a larger one changes nothing', () => {
  const hold = holdOf(45, 45)
  hold.sharpen(nanocreditsOf(2_000n))
  expect([hold.units, hold.limitUnits]).toEqual([45, 45])
  hold.sharpen(nanocreditsOf(0n))
  expect([hold.units, hold.limitUnits]).toEqual([50, null])
})

test('a hold that is settled stays as it is: the database is not asked again, and the first charge is answered', async () => {
  const submitted: string[] = []
  const told: bigint[] = []
  const submit = async (operation: { readonly kind: string; readonly charge?: bigint }) => {
    submitted.push(operation.kind)
    return { kind: 'settled', charge: operation.charge }
  }
  const onSettled = (_hold: unknown, _operation: unknown, { charge }: { readonly charge: bigint }) =>
    void told.push(charge)
  const { request } = holdOf(3, 3)
  const billing = { ...deps, ledger: { submit }, onSettled } as unknown as BillingDeps
  const hold = new OpenHold(billing, request, { units: 3, limitUnits: 3, placedAt: 0, startedAt: 0 })
  const settlement = (charge: bigint) => ({
    ...{ charge: nanocreditsOf(charge), cost: nanocreditsOf(0n) },
    facts: { ...NO_FACTS, status: 'ok' as const },
  })
  expect(hold.isSettled).toBe(false)
  expect(await hold.settle(settlement(7n))).toEqual({ charge: 7n, isPending: false })
  expect(hold.isSettled).toBe(true)
  expect(await hold.settle(settlement(9n))).toEqual({ charge: 7n, isPending: false })
  await hold.abandon('upstream_error', {})
  expect([submitted, told]).toEqual([['settle'], [7n]])
})

test('a hold that was placed once the lease was lost begins no work, and is freed', async () => {
  const submitted: { readonly kind: string; readonly charge?: bigint }[] = []
  const submit = async (operation: { readonly kind: string; readonly charge?: bigint }) => {
    submitted.push(operation)
    return operation.kind === 'place' ? { kind: 'placed', units: 1, limitUnits: null } : { kind: 'settled', charge: 0n }
  }
  const openHolds = new OpenHolds()
  const billing = { ...deps, openHolds, ledger: { submit } } as unknown as BillingDeps
  const { request } = holdOf(3, 3)
  openHolds.admitWhile(() => false)
  await expect(openHold(billing, request)).rejects.toMatchObject({ code: 'server_is_overloaded' })
  expect(submitted.map(({ kind, charge }) => [kind, charge ?? null])).toEqual([
    ['place', null],
    ['settle', 0n],
  ])
  openHolds.admitWhile(() => true)
  expect(await openHold(billing, request)).toBeInstanceOf(OpenHold)
})
