import type { Operator } from '../access/operators/journal.ts'
import type { Session } from '../access/sign-in/sign-in.ts'

/** Who acts, as the journal names them. */
export function operatorOf({ user }: Session): Operator {
  const name = user.hasEmail ? `${user.name} <${user.email}>` : user.name
  return { operatorId: user.userId, name, way: 'console' }
}

/** A time of the gateway as the wire has it; null stays. */
export function secondsOf<Time extends number | null>(ms: Time): Time {
  return (ms === null ? null : Math.floor(ms / 1_000)) as Time
}
