/**
 * Removes what names people from an account, and leaves its money rows: transfers, records, leaves of the ledger log and
 * sums stay as they are. Source: decision 0161 (erasure leaves the books whole).
 */
import { formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { type AccountStore, closeAccount } from '../../access/accounts/close-account.ts'
import type { ActingMember } from '../../access/keys/acting-member.ts'
import type { KeyStore } from '../../access/keys/list-keys.ts'
import { type ActionOutcome, type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import { OPERATION_AMOUNT_MAX } from '../../money/ledger/check-operation.ts'
import type { ErasureStore, OpenMatters } from './erasure-store.ts'
import type { OperationsDeps } from './operations-deps.ts'
import { recordCredit } from './record-credit.ts'

export interface EraseDeps extends JournalDeps, Pick<OperationsDeps, 'ledger'> {
  readonly store: ErasureStore
  /** What a member does is written only while their role allows it; undefined for an operator. */
  readonly writesFor: (member: ActingMember | undefined) => {
    readonly accounts: Pick<AccountStore, 'find' | 'close'>
    readonly keys: Pick<KeyStore, 'revokeAllOf'>
  }
}

export interface Erasure {
  readonly accountId: string
  /** In words: stays in the journal for good, so it names no person. */
  readonly reason: string
  /** Whether credits that are left are given up. */
  readonly forfeitsCredits: boolean
  /** The owner who does it; absent for an operator. */
  readonly member?: ActingMember
}

export type EraseResult =
  /** `forfeited` in nanocredits. */
  | { readonly kind: 'erased' | 'already_erased'; readonly forfeited: Nanocredits }
  | { readonly kind: 'unknown_account' }
  /** Something is under way. The account may be closed by now, so that nothing new begins. */
  | ({ readonly kind: 'in_use' } & OpenMatters)
  | { readonly kind: 'has_credits'; readonly posted: Nanocredits }
  /** The member's role was taken away meanwhile. */
  | { readonly kind: 'role_lost' }

/** What the statement of the account says of credits that were given up. Names no person, since it stays. */
const FORFEITED = 'Given up when the account was erased'

const OUTCOMES: Readonly<Record<EraseResult['kind'], ActionOutcome>> = {
  erased: 'done',
  already_erased: 'unchanged',
  unknown_account: 'refused',
  in_use: 'refused',
  has_credits: 'refused',
  role_lost: 'refused',
}

/**
 * Closes an account, takes off credits that are given up, and removes its people, names and contents in one
 * transaction. Each step can be done again: whatever ends it in between, a repeat goes on. Bytes of files go within an
 * hour, by a gateway.
 *
 * @param by an owner has no id here.
 */
export function eraseAccount(deps: EraseDeps, by: Operator, erasure: Erasure): Promise<EraseResult> {
  const { accountId, reason, forfeitsCredits } = erasure
  return keepJournal(
    deps,
    by,
    { action: 'account.erase', accountId, reason, details: { forfeits_credits: forfeitsCredits } },
    { work: () => erase(deps, by, erasure), outcomeOf: ({ kind }) => OUTCOMES[kind] },
  )
}

async function erase(deps: EraseDeps, by: Operator, erasure: Erasure): Promise<EraseResult> {
  const { store, clock } = deps
  const { accountId, forfeitsCredits, member } = erasure
  const { accounts, keys } = deps.writesFor(member)
  const account = await accounts.find(accountId)
  if (account === null) return { kind: 'unknown_account' }
  // Asked before anything is changed: a closed account cannot be opened again.
  const open = await store.countOpen(accountId)
  if (isAny(open)) return { kind: 'in_use', ...open }
  if (account.posted > 0n && !forfeitsCredits) return { kind: 'has_credits', posted: nanocreditsOf(account.posted) }
  const wasErased = (await store.findErased(accountId)) !== null
  const revokeKeys = async (id: string): Promise<void> => void (await keys.revokeAllOf(id, clock.now()))
  await closeAccount({ store: accounts, revokeKeys, clock }, accountId)
  const forfeited = await giveUpCredits(deps, by, erasure)
  if (await store.erase(accountId, clock.now(), member)) {
    return { kind: wasErased ? 'already_erased' : 'erased', forfeited }
  }
  return whyNot(deps, erasure)
}

/** Takes off what is left; in several steps where one operation cannot move it. @returns how much in all. */
async function giveUpCredits(deps: EraseDeps, by: Operator, erasure: Erasure): Promise<Nanocredits> {
  const { accountId, forfeitsCredits, member } = erasure
  const { accounts } = deps.writesFor(member)
  let taken = 0n
  while (forfeitsCredits) {
    const { posted = 0n } = (await accounts.find(accountId)) ?? {}
    if (posted === 0n) break
    const amount = nanocreditsOf(-(posted < OPERATION_AMOUNT_MAX ? posted : OPERATION_AMOUNT_MAX))
    const request = { source: 'adjustment', accountId, amount, reason: FORFEITED, id: null } as const
    const { result } = await recordCredit(deps, by, request)
    // A request that had begun before the account was closed holds some of it.
    if (result.kind === 'insufficient') break
    taken -= amount
  }
  return nanocreditsOf(taken)
}

async function whyNot(
  { store, writesFor }: EraseDeps,
  { accountId, member }: Pick<Erasure, 'accountId' | 'member'>,
): Promise<EraseResult> {
  const open = await store.countOpen(accountId)
  if (isAny(open)) return { kind: 'in_use', ...open }
  const { posted = 0n } = (await writesFor(member).accounts.find(accountId)) ?? {}
  return posted > 0n ? { kind: 'has_credits', posted: nanocreditsOf(posted) } : { kind: 'role_lost' }
}

function isAny({ requests, batches, deposits }: OpenMatters): boolean {
  return requests + batches + deposits > 0
}

/** What is under way or left, in words, and what to do; null where the account was erased. */
export function whyNotErased(result: EraseResult): string | null {
  if (result.kind === 'has_credits') {
    return `The account has ${formatCredits(result.posted)} credits, which would be lost.`
  }
  if (result.kind !== 'in_use') return null
  const { requests, batches, deposits } = result
  const parts = [
    ...(requests > 0 ? [`${requests} open ${requests === 1 ? 'request' : 'requests'}`] : []),
    ...(batches > 0
      ? [`${batches} ${batches === 1 ? 'batch' : 'batches'} that ${batches === 1 ? 'has' : 'have'} not ended`]
      : []),
    ...(deposits > 0 ? [`${deposits} pending ${deposits === 1 ? 'deposit' : 'deposits'}`] : []),
  ]
  return `The account has ${parts.join(', ')}: wait until all has ended.`
}
