import type { MonotonicClock } from '../../platform/runtime/clock.ts'
import { LeaseObserver } from './lease-observer.ts'

/** How often leases are looked at, in milliseconds. Source: own choice. */
const LOOK_MS = 1_000

export interface LivingDeps {
  /** The present leases of all processes, by process; null for a process without one. */
  readonly listLeases: () => Promise<ReadonlyMap<string, number | null>>
  readonly clock: MonotonicClock
  readonly leaseMs: number
  readonly pause: (milliseconds: number) => Promise<void>
}

/**
 * Whether a process lives: one that renews its lease, or begins one. Waits for as long as a lease lasts where a process
 * ended without a word, since what its lease says was written by a clock that may be another.
 */
export async function hasLiving({ listLeases, clock, leaseMs, pause }: LivingDeps): Promise<boolean> {
  const observer = new LeaseObserver({ clock, leaseMs })
  const before = await listLeases()
  for (let leases = before; leases.size > observer.look(leases).size; leases = await listLeases()) {
    if ([...leases].some(([processId, leaseUntil]) => before.get(processId) !== leaseUntil)) return true
    await pause(LOOK_MS)
  }
  return false
}
