/**
 * Who pays what when a hold ends. Pure; the SQL of the PostgreSQL engine says the same. Source: decisions 0004 and
 * 0008.
 */

import type { SettleHold } from './operations.ts'

export interface Settlement {
  /** Taken from the account. */
  readonly charge: bigint
  /** Owed and not paid: our loss. */
  readonly writeOff: bigint
  readonly cost: bigint
  readonly margin: bigint
}

/** Splits a charge that `payable` or the agreed maximum may not cover, so that `charge + writeOff = cost + margin`. */
export function splitCharge(asked: Pick<SettleHold, 'charge' | 'cost' | 'lost' | 'most'>, payable: bigint): Settlement {
  const due = asked.most === undefined || asked.charge < asked.most ? asked.charge : asked.most
  const charge = due < payable ? due : payable
  const delivered = asked.cost - asked.lost
  const owed = (asked.charge > delivered ? asked.charge : delivered) + asked.lost
  return { charge, writeOff: owed - charge, cost: asked.cost, margin: owed - asked.cost }
}
