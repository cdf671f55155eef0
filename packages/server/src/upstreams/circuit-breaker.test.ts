import { beforeEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../platform/errors/service-error.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { type FailureKind, upstreamFailure } from './upstream-failure.ts'

const OPEN_MS = 10_000
const MODEL = 'maker/model'

let now = 0
let breaker: CircuitBreaker
beforeEach(() => {
  now = 1_000_000
  breaker = new CircuitBreaker({ configured: { breakerFailures: 5, breakerOpenMs: OPEN_MS } }, { elapsed: () => now })
})

const failure = (kind: FailureKind, retryAfterSeconds: number | null = null) =>
  upstreamFailure(kind, { upstream: 'test', retryAfterSeconds })

function fail(times: number, kind: FailureKind = 'broken', model = MODEL): void {
  for (let turn = 0; turn < times; turn++) breaker.note(model, failure(kind))
}

describe('a circuit', () => {
  test('opens with the fifth failure, for this model alone, and says for how long', () => {
    fail(4)
    expect([breaker.admit(MODEL), breaker.states()]).toEqual([true, []])
    fail(1)
    expect([breaker.admit(MODEL), breaker.waitMs(MODEL)]).toEqual([false, OPEN_MS])
    expect([breaker.admit('maker/other'), breaker.waitMs('maker/other')]).toEqual([true, 0])
    expect(breaker.states()).toEqual([{ model: MODEL, state: 'open' }])
  })

  test('stays closed where more than half of the last calls work', () => {
    for (let turn = 0; turn < 200; turn++) {
      breaker.note(MODEL, turn % 3 === 0 ? failure('broken') : null)
      expect(breaker.waitMs(MODEL)).toBe(0)
    }
    fail(20)
    expect(breaker.waitMs(MODEL)).toBe(OPEN_MS)
  })

  test('forgets failures that are a minute old', () => {
    fail(4)
    now += 60_001
    fail(4)
    expect(breaker.waitMs(MODEL)).toBe(0)
  })

  test.each<FailureKind>(['rate_limited', 'overloaded', 'timeout', 'unreachable', 'broken'])('counts %s', (kind) => {
    fail(5, kind)
    expect(breaker.admit(MODEL)).toBe(false)
  })

  test.each<FailureKind>([
    'rejected_request',
    'context_length',
    'content_policy',
    'too_large',
    'unknown_model',
    'forbidden',
    'empty',
  ])('never opens for what a request brings about by itself: %s', (kind) => {
    fail(100, kind)
    expect([breaker.admit(MODEL), breaker.states()]).toEqual([true, []])
  })

  test('never opens for an error that is no failure of the upstream', () => {
    for (let turn = 0; turn < 100; turn++) breaker.note(MODEL, new ServiceError('invalid_value', 'wrong'))
    expect(breaker.states()).toEqual([])
  })

  test('waits at least as long as the upstream asks', () => {
    fail(4)
    breaker.note(MODEL, failure('overloaded', 45))
    expect(breaker.waitMs(MODEL)).toBe(45_000)
  })
})

describe('a circuit that has waited', () => {
  beforeEach(() => {
    fail(5)
    now += OPEN_MS
  })

  test('lets one call through, and all when it works', () => {
    expect(breaker.states()).toEqual([{ model: MODEL, state: 'half_open' }])
    expect([breaker.admit(MODEL), breaker.admit(MODEL)]).toEqual([true, false])
    breaker.note(MODEL, null)
    expect([breaker.admit(MODEL), breaker.admit(MODEL), breaker.states()]).toEqual([true, true, []])
  })

  test('closes, too, when the upstream answers that the request is wrong: it is there', () => {
    expect(breaker.admit(MODEL)).toBe(true)
    fail(1, 'rejected_request')
    expect(breaker.states()).toEqual([])
  })

  test('opens for twice as long each time the call fails, up to eight times', () => {
    for (const times of [2, 4, 8, 8]) {
      expect(breaker.admit(MODEL)).toBe(true)
      fail(1)
      expect(breaker.waitMs(MODEL)).toBe(OPEN_MS * times)
      now += OPEN_MS * times
    }
  })

  test('lets the next call through when the one before was ended by ourselves', () => {
    expect(breaker.admit(MODEL)).toBe(true)
    breaker.release(MODEL)
    expect(breaker.admit(MODEL)).toBe(true)
  })

  // The refusal by words alone opens nothing: it may be about that one request.
  test('lets the next call through when the one before was refused for our account', () => {
    expect(breaker.admit(MODEL)).toBe(true)
    breaker.note(MODEL, upstreamFailure('our_account', { upstream: 'test', isByWords: true }))
    expect([breaker.waitMs(MODEL), breaker.admit(MODEL)]).toEqual([0, true])
  })

  test('does not wait for ever for a call that never comes back', () => {
    expect(breaker.admit(MODEL)).toBe(true)
    now += 130_000
    expect(breaker.admit(MODEL)).toBe(true)
  })
})

test('calls that were under way when a circuit opened neither lengthen nor end its wait', () => {
  fail(5)
  now += 1_000
  fail(5)
  breaker.note(MODEL, null)
  expect(breaker.waitMs(MODEL)).toBe(OPEN_MS - 1_000)
})

describe('the account with the upstream', () => {
  beforeEach(() => breaker.note(MODEL, failure('our_account')))

  test('is left alone at the first refusal of its key or credit, for every model', () => {
    expect([breaker.admit(MODEL), breaker.admit('maker/other')]).toEqual([false, false])
    expect(breaker.states()).toEqual([{ model: null, state: 'open' }])
  })

  test('is tried with one call of any model, and works again once that is answered', () => {
    now += OPEN_MS
    expect([breaker.admit('maker/other'), breaker.admit(MODEL)]).toEqual([true, false])
    breaker.note('maker/other', null)
    expect([breaker.admit(MODEL), breaker.states()]).toEqual([true, []])
  })

  test('is not kept waiting by a try that failed for another reason', () => {
    now += OPEN_MS
    expect(breaker.admit(MODEL)).toBe(true)
    fail(1, 'timeout')
    expect(breaker.admit('maker/other')).toBe(true)
  })
})

test('words under another status open the account’s circuit when they come again, with no answer in between', () => {
  const words = upstreamFailure('our_account', { upstream: 'test', status: 400, isByWords: true })
  breaker.note(MODEL, words)
  expect([breaker.admit(MODEL), breaker.states()]).toEqual([true, []])
  breaker.note(MODEL, null)
  breaker.note(MODEL, words)
  expect(breaker.states()).toEqual([])
  breaker.note('maker/other', words)
  expect(breaker.states()).toEqual([{ model: null, state: 'open' }])
})

test('a thousand models are remembered at most', () => {
  for (let model = 0; model < 1_500; model++) fail(5, 'broken', `maker/${model}`)
  expect(breaker.states()).toHaveLength(1_000)
})

test('breakers that are turned off open for nothing', () => {
  breaker = new CircuitBreaker({ configured: { breakerFailures: 1, breakerOpenMs: 0 } }, { elapsed: () => now })
  fail(100)
  fail(1, 'our_account')
  expect([breaker.admit(MODEL), breaker.states()]).toEqual([true, []])
})
