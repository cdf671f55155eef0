import { expect, test } from 'vitest'
import { ServiceError } from '../platform/errors/service-error.ts'
import { RecentCalls } from './recent-calls.ts'
import { upstreamFailure } from './upstream-failure.ts'

test('calls are counted by model, the most used first, and only what the upstream failed at is a failure', () => {
  let now = 1_000
  const recent = new RecentCalls({ now: () => now })
  for (let turn = 0; turn < 3; turn++) recent.ended('maker/often', null)
  recent.ended('maker/often', new ServiceError('invalid_value', 'not the upstream’s fault'))
  now = 2_000
  recent.ended('maker/seldom', upstreamFailure('overloaded', { upstream: 'test', status: 529 }))
  for (const ms of [30, 10, 20]) recent.answered('maker/seldom', ms)
  expect(recent.models()).toMatchObject([
    { model: 'maker/often', calls: 4, failures: 0, lastAt: 1_000, medianMs: null, slowestMs: null },
    { model: 'maker/seldom', calls: 1, failures: 1, lastAt: 2_000, medianMs: 20, slowestMs: 30 },
  ])
  expect(recent.failures()).toEqual([{ at: 2_000, model: 'maker/seldom', kind: 'overloaded', status: 529 }])
})

test('what is remembered has an end, and nothing of what the upstream said is in it', () => {
  const recent = new RecentCalls({ now: () => 5 })
  for (let turn = 0; turn < 1_000; turn++) {
    recent.ended(`model-${turn}`, upstreamFailure('rejected_request', { upstream: 'test', upstreamText: 'my secret' }))
  }
  expect(recent.models()).toHaveLength(500)
  expect(recent.failures()).toHaveLength(30)
  expect(recent.failures()[0]?.model).toBe('model-999')
  expect(JSON.stringify([recent.models(), recent.failures()])).not.toContain('secret')
})
