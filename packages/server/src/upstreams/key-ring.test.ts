import { beforeEach, expect, test } from 'vitest'
import { KeyRing, type KeyRest } from './key-ring.ts'
import { type FailureKind, upstreamFailure } from './upstream-failure.ts'

const NONE: ReadonlySet<number> = new Set()
const ANSWERED = { error: null, answer: null, isStopped: false }

let elapsed = 0
let rests: KeyRest[] = []
let ring: KeyRing

beforeEach(() => {
  elapsed = 0
  rests = []
  ring = new KeyRing({
    names: ['A', 'B', 'C'],
    clock: { now: () => 1_700_000_000_000 + elapsed, elapsed: () => elapsed },
    onRest: (rest) => void rests.push(rest),
  })
})

function fail(key: number, kind: FailureKind, retryAfterSeconds: number | null = null): void {
  const error = upstreamFailure(kind, { upstream: 'one', retryAfterSeconds, isUnbilled: true })
  ring.observe(key).ended?.({ error, answer: null, isStopped: false })
}

const left = (key: number, remaining: number, more: Readonly<Record<string, string>> = {}): void =>
  ring.told(key, { 'x-ratelimit-limit-requests': '100', 'x-ratelimit-remaining-requests': `${remaining}`, ...more })

test('where nothing is known, calls go round, and to whoever has least to do', () => {
  const running = [0, 1, 2].map(() => {
    const key = ring.next(NONE)
    return { key, call: ring.observe(key) }
  })
  expect(running.map(({ key }) => key).toSorted()).toEqual([0, 1, 2])
  running[1]?.call.ended?.(ANSWERED)
  expect(ring.next(NONE)).toBe(running[1]?.key)
})

test('calls that were begun count against what was left before them', () => {
  left(0, 50)
  left(1, 49)
  left(2, 10)
  const taken = [0, 1, 2, 3].map(() => {
    const key = ring.next(NONE)
    ring.observe(key)
    return key
  })
  expect(taken).toEqual([0, 1, 0, 1].map((key) => key))
})

test('what was reset since is whole again', () => {
  left(0, 0, { 'x-ratelimit-reset-requests': '10s' })
  left(1, 80)
  left(2, 70)
  expect(ring.next(NONE)).toBe(1)
  expect(ring.figures().map(({ left: part }) => part)).toEqual([0, 0.8, 0.7])
  elapsed = 10_000
  expect(ring.next(NONE)).toBe(0)
  // Nobody said when the others are whole: what they said is old after a minute.
  elapsed = 60_000
  expect(ring.figures().map(({ left: part }) => part)).toEqual([1, 1, 1])
})

test('a refused key rests for what it was told, else for what its headers say, else for longer each time', () => {
  fail(0, 'rate_limited', 20)
  left(1, 0, { 'x-ratelimit-reset-requests': '5s' })
  fail(1, 'rate_limited')
  fail(2, 'our_account')
  expect(rests).toEqual([
    { key: 'A', failure: 'rate_limited', restMs: 20_000 },
    { key: 'B', failure: 'rate_limited', restMs: 5_000 },
    { key: 'C', failure: 'our_account', restMs: 60_000 },
  ])
  elapsed = 60_000
  fail(2, 'our_account')
  expect(rests.at(-1)).toEqual({ key: 'C', failure: 'our_account', restMs: 120_000 })
  elapsed = 180_000
  const call = ring.observe(2)
  call.answered?.()
  call.ended?.(ANSWERED)
  fail(2, 'our_account')
  expect(rests.at(-1)?.restMs).toBe(60_000)
})

test('while all rest, the one goes whose rest ends first, and a tried one not again', () => {
  for (const [key, seconds] of [30, 10, 20].entries()) fail(key, 'rate_limited', seconds)
  expect(ring.next(NONE)).toBe(1)
  expect(ring.next(new Set([1]))).toBe(2)
  expect(ring.hasSpare()).toBe(false)
  elapsed = 10_000
  expect([ring.hasSpare(), ring.hasSpare(new Set([1]))]).toEqual([true, false])
})

test('a failure that is not about the key lets it go on', () => {
  for (const kind of ['broken', 'timeout', 'overloaded', 'forbidden', 'rejected_request'] as const) fail(0, kind)
  expect([rests, ring.hasSpare(new Set([1, 2]))]).toEqual([[], true])
})

test('only where all keys are out is the account of the upstream in trouble', () => {
  const account = upstreamFailure('our_account', { upstream: 'one' })
  const limited = upstreamFailure('rate_limited', { upstream: 'one' })
  fail(0, 'our_account')
  fail(1, 'our_account')
  fail(2, 'rate_limited', 30)
  expect([ring.isSpared(account), ring.isSpared(limited)]).toEqual([true, false])
  elapsed = 30_000
  fail(2, 'our_account')
  expect(ring.isSpared(account)).toBe(false)
})

test('who has made a generation is remembered, for the last ten thousand', () => {
  for (let at = 0; at < 10_001; at++) {
    ring.observe(at % 3).ended?.({ error: null, answer: { generationId: `gen-${at}` }, isStopped: false })
  }
  expect(['gen-0', 'gen-1', 'gen-10000'].map((id) => ring.makerOf(id))).toEqual([null, 1, 10_000 % 3])
})
