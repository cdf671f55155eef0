import type { Hex } from '../chain/assets.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'
import type { DepositStore } from './deposit-store.ts'
import { planRecording, type AddressBooks } from './plan-recording.ts'
import type { SeenDeposit } from './record-statement.ts'
import type { OwnPlace, RecordingStore } from './recording-store.ts'

export interface RecordPaymentsDeps {
  readonly deposits: Pick<DepositStore, 'record' | 'find' | 'listAmounts'>
  readonly recording: RecordingStore
  readonly clock: Clock
}

/** How often books that others change meanwhile are read again. */
const ATTEMPTS = 20

/**
 * Records what a transaction paid. A payment in ETH that the balance of its address has shown before is one deposit
 * with that, never another.
 *
 * @param isOwn whether an address is an account's own: a treasury's balance proves nothing.
 * @throws {ChainUnavailableError} when others change the same books all the time.
 */
export async function recordPayments(
  deps: RecordPaymentsDeps,
  payments: readonly SeenDeposit[],
  isOwn: (address: Hex) => boolean,
): Promise<void> {
  const isByBooks = ({ asset, address }: SeenDeposit): boolean => asset === 'ETH' && isOwn(address)
  await deps.deposits.record(
    payments.filter((payment) => !isByBooks(payment)),
    deps.clock.now(),
  )
  for (const [address, own] of Map.groupBy(payments.filter(isByBooks), (payment) => payment.address)) {
    await recordAt(deps, address, own)
  }
}

async function recordAt(deps: RecordPaymentsDeps, address: Hex, payments: readonly SeenDeposit[]): Promise<void> {
  const [first] = payments
  if (first === undefined) return
  const place: OwnPlace = { chainId: first.chainId, address, asset: first.asset }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const revision = await deps.recording.findRevision(place)
    const books = await deps.recording.readBooks(place, payments)
    const fresh = payments.filter((payment) => !isAsRecorded(payment, books))
    if (fresh.length === 0) return
    const plan = planRecording(fresh, books)
    const now = deps.clock.now()
    if (await deps.recording.apply(place, { revision, next: createId(now) }, plan, now)) return
  }
  throw new ChainUnavailableError('the books of an address change all the time')
}

function isAsRecorded(
  { txHash, ordinal, amount, blockHash }: SeenDeposit,
  { recorded, matched }: AddressBooks,
): boolean {
  const isSame = (other: { readonly txHash: Hex; readonly ordinal: string }): boolean =>
    other.txHash === txHash && other.ordinal === ordinal
  if (matched.some(isSame)) return true
  const row = recorded.find(isSame)
  return row !== undefined && row.state !== 'reversed' && row.amount === amount && row.blockHash === blockHash
}

/**
 * Records what the balance of an address shows and no recorded deposit explains, as one deposit.
 *
 * @param measured the balance's own facts; its amount is all that ever came up to its block.
 * @returns false when there is nothing to record, or the books have changed meanwhile.
 */
export async function recordBalance(deps: RecordPaymentsDeps, measured: SeenDeposit): Promise<boolean> {
  const { chainId, address, asset, blockNumber } = measured
  const place: OwnPlace = { chainId, address, asset }
  const revision = await deps.recording.findRevision(place)
  const rows = await deps.deposits.listAmounts(chainId, address, asset)
  const known = rows.filter((row) => row.blockNumber <= blockNumber).reduce((sum, { amount }) => sum + amount, 0n)
  const surplus = measured.amount - known
  const isMeasured = rows.some((row) => row.blockNumber === blockNumber && row.ordinal === measured.ordinal)
  if (surplus <= 0n || isMeasured) return false
  const now = deps.clock.now()
  const plan = { record: [{ ...measured, amount: surplus }], match: [], shrink: [] }
  return deps.recording.apply(place, { revision, next: createId(now) }, plan, now)
}
