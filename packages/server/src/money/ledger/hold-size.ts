/**
 * How large a hold is: all that the answer can cost, or as much of it as the policy and the balance allow. Pure; the
 * SQL of the PostgreSQL engine says the same. Source: decisions 0005 and 0007.
 */
import type { HoldPolicy } from './operations.ts'

/** More than any balance can hold, and small enough that two of them still fit a signed 64-bit column. */
export const AMOUNT_MAX = 4_000_000_000_000_000_000n

/**
 * What a budget counts in one of its periods at most, capped or not: with the largest operation on top it still fits the
 * column, so that no settlement is ever refused for it.
 */
export const COUNTED_MAX = 8_000_000_000_000_000_000n

/** A hold may take this share of what is available before the balance counts as the limiter. */
const UNLIMITED_SHARE = 4n
/** An `affordable` hold leaves this share of the balance to other requests, where it still gets its first units … */
const SPARED_SHARE = 2n
/** … and this share even of a small balance, so that no single request takes it all. */
const SMALL_SPARED_SHARE = 16n

/** What of a hold that is placed decides its size. */
export interface HoldSizing {
  readonly fixed: bigint
  readonly perUnit: bigint
  readonly units: number
  readonly policy: HoldPolicy
  readonly firstUnits: number
}

export interface HoldSize {
  readonly amount: bigint
  readonly units: number
  /** Units that the balance pays at all; null when all of them. */
  readonly limitUnits: number | null
}

/** The hold for a number of units, never above `AMOUNT_MAX`. */
export function holdFor(fixed: bigint, perUnit: bigint, units: number): bigint {
  const amount = fixed + perUnit * BigInt(units)
  return amount < AMOUNT_MAX ? amount : AMOUNT_MAX
}

/** Units that an amount pays beside `fixed`, at most `unitsMax`. */
export function unitsFor(amount: bigint, fixed: bigint, perUnit: bigint, unitsMax: number): number {
  if (amount < fixed) return 0
  if (perUnit === 0n) return unitsMax
  const units = (amount - fixed) / perUnit
  return units < BigInt(unitsMax) ? Number(units) : unitsMax
}

/** Decides the hold that `available` pays for; null when it pays for none. */
export function sizeHold(sizing: HoldSizing, available: bigint): HoldSize | null {
  const { fixed, perUnit, units, policy, firstUnits } = sizing
  const full = holdFor(fixed, perUnit, units)
  if (policy === 'exact' || perUnit === 0n) return full <= available ? { amount: full, units, limitUnits: null } : null
  if (full * UNLIMITED_SHARE <= available) return { amount: full, units, limitUnits: null }

  const paid = affordableUnits(sizing, available)
  if (paid < 1) return null
  const held = policy === 'affordable' ? paid : Math.min(firstUnits, Math.max(1, Math.ceil(paid / 2)))
  return { amount: holdFor(fixed, perUnit, held), units: held, limitUnits: paid < units ? paid : null }
}

function affordableUnits({ fixed, perUnit, units, policy, firstUnits }: HoldSizing, available: bigint): number {
  const paidBy = (amount: bigint): number => unitsFor(amount, fixed, perUnit, units)
  if (policy !== 'affordable') return paidBy(available)
  const small = Math.min(paidBy(available - available / SMALL_SPARED_SHARE), firstUnits)
  // A balance that pays for exactly one unit is not refused for the sake of the spared part.
  return Math.max(paidBy(available - available / SPARED_SHARE), small, Math.min(paidBy(available), 1))
}
