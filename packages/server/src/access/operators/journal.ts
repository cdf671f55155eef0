/**
 * The operators' journal: no action without an entry. The entry is written first, the action is done, and its outcome
 * is noted once. Where a process dies in between, the entry stays without an outcome. Source: decision 0046.
 */
import type { journalActions } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'

/** What operators do. */
export type OperatorAction = (typeof journalActions)[number]

/** Who acts. */
export interface Operator {
  /** The person's id; null for a command, whose user is known to the machine alone. */
  readonly operatorId: string | null
  readonly name: string
  readonly way: 'console' | 'command' | 'start'
}

/** The person who acts in the console, whose right must hold when it is done; undefined for a command or a start. */
export function actingOperator({ operatorId, way }: Operator): string | undefined {
  return way === 'console' ? (operatorId ?? undefined) : undefined
}

/** For a person whose right was taken between the question and the write. */
export function noOperator(): ServiceError {
  return new ServiceError('role_denied', 'This is for the operator of the gateway.')
}

/** What is done, to whom, and why. Never a secret: neither keys nor addresses of emails. */
export interface JournaledAction {
  readonly action: OperatorAction
  readonly accountId?: string
  /** Id of what it is done to, besides the account. */
  readonly subject?: string
  /** In words; absent where none was asked for. */
  readonly reason?: string
  /** Values that say what was done: JSON-safe, amounts as text. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** `unchanged`: it was so before. `refused`: the gateway did not do it. `failed`: it may have been done or not. */
export type ActionOutcome = 'done' | 'unchanged' | 'refused' | 'failed'

/** An entry as it begins. */
export interface NewEntry extends JournaledAction {
  readonly actionId: string
  readonly at: number
  readonly by: Operator
}

/** An entry as stored. */
export interface JournalEntry {
  readonly actionId: string
  readonly at: number
  readonly operatorId: string | null
  readonly operatorName: string
  readonly way: 'console' | 'command' | 'start'
  readonly action: string
  readonly accountId: string | null
  readonly subject: string | null
  readonly reason: string | null
  /** JSON text. */
  readonly details: string
  readonly outcome: ActionOutcome | null
}

/** Which entries are read. */
export interface JournalFilter {
  readonly action?: string
  readonly accountId?: string
  /** Continue after this entry. */
  readonly after?: string
  readonly limit: number
}

/** Where the entries are kept. */
export interface JournalStore {
  /** Returns false, and writes nothing, for a person who acts in the console and is no operator any more. */
  begin(entry: NewEntry): Promise<boolean>
  /** Notes the outcome; a second one changes nothing. */
  end(actionId: string, outcome: ActionOutcome, at: number): Promise<void>
  /** Newest first. */
  list(filter: JournalFilter): Promise<readonly JournalEntry[]>
}

export interface JournalDeps {
  readonly journal: JournalStore
  readonly clock: Clock
}

/** A action as it is done. */
export interface ActionSteps<Result> {
  readonly work: () => Promise<Result>
  /** What the result means. */
  readonly outcomeOf: (result: Result) => ActionOutcome
}

/** `keepJournal` for one operator. */
export type Note = <Result>(action: JournaledAction, steps: ActionSteps<Result>) => Promise<Result>

/**
 * Does something with an entry in the journal. The entry is written only while the operator has the right; what follows
 * asks for it again with its own writing (`writesOf`, and the ledger).
 *
 * @throws {ServiceError} `role_denied` for a person who is no operator any more. Whatever the work throws; the entry
 *   says then that it failed.
 */
export async function keepJournal<Result>(
  { journal, clock }: JournalDeps,
  by: Operator,
  action: JournaledAction,
  steps: ActionSteps<Result>,
): Promise<Result> {
  const at = clock.now()
  const actionId = createId(at)
  if (!(await journal.begin({ ...action, actionId, at, by }))) throw noOperator()
  try {
    const result = await steps.work()
    await journal.end(actionId, steps.outcomeOf(result), clock.now())
    return result
  } catch (error) {
    // What the gateway itself refuses was not done; of anything else the outcome is unknown.
    await journal.end(actionId, error instanceof ServiceError && error.status < 500 ? 'refused' : 'failed', clock.now())
    throw error
  }
}
