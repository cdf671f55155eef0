import { creditsJson, nanocreditsOf } from '@svc/contract'
import { expect, test } from 'vitest'
import type { FoundCharge } from '../../money/billing/find-charge.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { findRequest, type ShownAttempt } from './find-request.ts'

const attempt = (more: Partial<ShownAttempt>): ShownAttempt => ({
  ...{ upstream: 'first', upstreamModel: 'm', failure: null, generationId: null, cost: null, endedAt: 1 },
  ...more,
})

/** Costs of the attempts of a request that cost so much in all. */
async function costsOf(noted: readonly ShownAttempt[], cost: bigint, more: object = {}) {
  const operator = { upstream: 'first', generation_id: null, credits_cost: creditsJson(nanocreditsOf(cost)) }
  const charge = { id: 'r', state: 'final', status: 'ok', model: 'm', upstream_model: 'm', ...more, operator }
  const found = await findRequest(
    {
      findCharge: () => Promise.resolve(charge as unknown as FoundCharge),
      archivedHint: () => Promise.resolve(''),
      findRows: () => Promise.resolve({ hold: null, transfers: [] }),
      attempts: { list: () => Promise.resolve(noted as never) },
      makeReceipt: () => Promise.reject(new ServiceError('receipt_pending', 'Not yet.')),
    },
    'r',
  )
  return found?.attempts.map((each) => each.cost)
}

test('the only attempt cost what the request did, also where it failed', async () => {
  expect(await costsOf([], 250n)).toEqual([250n])
  expect(await costsOf([], 250n, { status: 'error', error_code: 'upstream_empty' })).toEqual([250n])
})

test('the attempt that answered cost what the others did not', async () => {
  const failed = attempt({ failure: 'overloaded' })
  expect(await costsOf([failed, attempt({})], 250n)).toEqual([null, 250n])
  expect(await costsOf([attempt({ failure: 'empty', cost: 50n }), attempt({})], 250n)).toEqual([50n, 200n])
})

test('a cost that an attempt has stays, and one that is not known is not made up', async () => {
  expect(await costsOf([attempt({ failure: 'overloaded' }), attempt({ cost: 250n })], 250n)).toEqual([null, 250n])
  expect(await costsOf([], 0n)).toEqual([null])
  expect(await costsOf([attempt({ failure: 'overloaded' }), attempt({ failure: 'empty' })], 250n)).toEqual([null, null])
})
