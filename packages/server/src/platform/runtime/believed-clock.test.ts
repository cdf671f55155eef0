import { beforeEach, describe, expect, test } from 'vitest'
import { BELIEVED_AFTER_MS, type BelievedClock, believedClock, type ClockStep } from './believed-clock.ts'

const START = 1_800_000_000_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describe('a believed clock', () => {
  /** What has passed, by what the system's clock was set, and how long the machine slept; all in milliseconds. */
  let machine: { passed: number; moved: number; slept: number }
  let steps: ClockStep[]
  let clock: BelievedClock
  beforeEach(() => {
    machine = { passed: 5, moved: 0, slept: 0 }
    steps = []
    clock = believedClock(
      {
        now: () => START + machine.passed + machine.moved + machine.slept,
        elapsed: () => machine.passed,
        asleep: () => machine.slept,
      },
      (step) => void steps.push(step),
    )
  })

  /** Lets time pass, while the time is asked for twice a minute. */
  const pass = (ms: number): void => {
    for (const end = machine.passed + ms; machine.passed < end; clock.now()) {
      machine.passed = Math.min(end, machine.passed + MINUTE_MS / 2)
    }
  }
  /** What it says, in milliseconds after the start. */
  const told = (): number => clock.now() - START

  test.each([DAY_MS, -DAY_MS, 30 * DAY_MS, 6_000, -6_000])('set by %i ms for a moment goes on as before', (ms) => {
    pass(MINUTE_MS)
    machine.moved = ms
    expect(told()).toBe(machine.passed)
    pass(BELIEVED_AFTER_MS - 1)
    expect(told()).toBe(machine.passed)
    machine.moved = 0
    expect(told()).toBe(machine.passed)
    // What was seen before counts no more once it has been back.
    machine.moved = ms
    pass(BELIEVED_AFTER_MS - 1)
    expect(told()).toBe(machine.passed)
    expect(steps).toEqual([{ kind: 'doubted', byMs: ms }, { kind: 'returned' }, { kind: 'doubted', byMs: ms }])
  })

  test('is followed where it has been steady for ten minutes, while it was looked at', () => {
    machine.moved = DAY_MS
    pass(BELIEVED_AFTER_MS)
    expect(told()).toBe(machine.passed)
    pass(MINUTE_MS)
    expect(told()).toBe(machine.passed + DAY_MS)
    expect(steps).toEqual([
      { kind: 'doubted', byMs: DAY_MS },
      { kind: 'followed', byMs: DAY_MS },
    ])
  })

  test('is not followed because it was ahead twice, with a long time between', () => {
    machine.moved = DAY_MS
    expect(told()).toBe(machine.passed)
    machine.passed += 2 * BELIEVED_AFTER_MS
    expect(told()).toBe(machine.passed)
  })

  test('follows small steps and drift at once', () => {
    for (let step = 0; step < 100; step++) {
      machine.moved -= 2_000
      pass(MINUTE_MS)
      expect(told()).toBe(machine.passed + machine.moved)
    }
    expect(steps).toEqual([])
  })

  test('follows a machine that has slept at once', () => {
    machine.slept = DAY_MS / 3
    expect(told()).toBe(machine.passed + DAY_MS / 3)
    machine.moved = DAY_MS
    machine.slept += DAY_MS
    expect(told()).toBe(machine.passed + DAY_MS / 3 + DAY_MS)
    expect(steps).toEqual([{ kind: 'doubted', byMs: DAY_MS }])
  })

  test('keeps from the later of the two, and calls nothing over before the earlier', () => {
    pass(BELIEVED_AFTER_MS)
    const present = (): number => START + machine.passed
    expect([clock.latest(), clock.earliest()]).toEqual([present(), present()])
    machine.moved = 30 * DAY_MS
    expect([clock.latest(), clock.earliest()]).toEqual([present() + 30 * DAY_MS, present()])
    machine.moved = -30 * DAY_MS
    expect([clock.latest(), clock.earliest()]).toEqual([present(), present() - 30 * DAY_MS])
  })

  test('calls nothing over in the ten minutes after the start, and after it has followed a step', () => {
    expect(clock.earliest()).toBe(0)
    pass(BELIEVED_AFTER_MS)
    expect(clock.earliest()).toBe(START + machine.passed)
    machine.moved = DAY_MS
    pass(BELIEVED_AFTER_MS + MINUTE_MS)
    expect([told(), clock.earliest()]).toEqual([machine.passed + DAY_MS, 0])
    pass(BELIEVED_AFTER_MS)
    expect(clock.earliest()).toBe(START + machine.passed + DAY_MS)
  })
})
