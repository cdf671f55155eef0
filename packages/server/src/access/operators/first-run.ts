/**
 * Room `operators`: who runs the gateway, and what they set while it runs. The first operator comes in by a token that
 * only the start prints: the reader of the gateway's output becomes its operator. Source: decision 0040 (sign-in).
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/runtime/clock.ts'
import { hashToken } from '../../platform/runtime/hash-token.ts'
import { type JournalDeps, keepJournal } from './journal.ts'
import type { OperatorStore } from './operator-store.ts'

export interface FirstRunDeps {
  readonly store: OperatorStore
  readonly clock: Clock
}

const TOKEN_BYTES = 24

/**
 * Makes a token that lets the first operator in, once. Null when there is an operator already.
 *
 * Each start makes one; all work until one was used, so that several processes of one gateway may start together.
 */
export async function createFirstRunToken({ store, clock }: FirstRunDeps): Promise<string | null> {
  if (await store.hasAny()) return null
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  await store.addFirstRunToken(hashToken(token), clock.now())
  return token
}

/** Takes a token; false when it is unknown or used, or when there is an operator. */
export function takeFirstRunToken({ store }: FirstRunDeps, token: string): Promise<boolean> {
  return store.takeFirstRunToken(hashToken(token))
}

/** Makes the person an operator, and every token that was left over worthless. */
export async function makeOperator(deps: FirstRunDeps & JournalDeps, person: FirstOperator): Promise<void> {
  const { store, clock } = deps
  const { userId, name, reason } = person
  // An operator comes in again with each visit of the sandbox: nothing new to note.
  if (await store.isOperator(userId)) return
  const by = { operatorId: userId, name, way: 'start' } as const
  await keepJournal(
    deps,
    by,
    { action: 'operator.add', subject: userId, reason },
    { work: () => store.add(userId, clock.now()), outcomeOf: (isAdded) => (isAdded ? 'done' : 'unchanged') },
  )
  await store.clearFirstRunTokens()
}

/** Who becomes an operator without another one's word. */
export interface FirstOperator {
  readonly userId: string
  readonly name: string
  /** What made them one, in words. */
  readonly reason: string
}

export type { OperatorStore } from './operator-store.ts'
