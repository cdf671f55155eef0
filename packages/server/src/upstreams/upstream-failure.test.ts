import { describe, expect, test } from 'vitest'
import { ServiceError } from '../platform/errors/service-error.ts'
import { attoUsdOf } from '../pricing/usd.ts'
import { billOf, UpstreamFailure, upstreamFailure, withBill } from './upstream-failure.ts'

const bill = { cost: attoUsdOf(7n), usage: null, generationId: 'gen-1' }

describe('a failure with a bill', () => {
  test('says all else that it said before', () => {
    const cause = new Error('the socket')
    const said = {
      ...{ upstream: 'one', upstreamText: 'no such field', upstreamCodes: ['bad_request'], status: 400 },
      ...{ names: ['reasoning'], isByWords: true, cause },
    }
    const failure = withBill(upstreamFailure('rejected_request', said), 'one', bill)
    const expected = upstreamFailure('rejected_request', { ...said, ...bill })
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect(Object.entries(failure)).toEqual(Object.entries(expected))
    expect([failure.message, failure.cause]).toEqual([expected.message, cause])
  })

  test('keeps how long to wait', () => {
    const failure = withBill(upstreamFailure('overloaded', { upstream: 'one', retryAfterSeconds: 9 }), 'one', bill)
    expect(failure).toMatchObject({ retryAfterSeconds: 9, waitMs: 9_000, ...bill })
  })

  test('of the gateway stays the client’s error, whole', () => {
    const said = { retryAfterSeconds: 3, shouldRetry: false, headers: { connection: 'close' }, details: { seen: 1 } }
    const failure = withBill(new ServiceError('server_is_overloaded', 'Too many.', said), 'one', bill)
    expect(failure).toMatchObject({ code: 'server_is_overloaded', message: 'Too many.', ...said })
    expect(billOf(failure)).toMatchObject(bill)
  })
})
