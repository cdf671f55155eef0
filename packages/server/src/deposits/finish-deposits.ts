import type { Nanocredits } from '@svc/contract'
import { ASSET_DECIMALS, type Asset, type Hex } from '../chain/assets.ts'
import type { AssetPrice, BlockRef, ChainHead, ChainTransfer } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import type { CreditDepositResult } from '../money/ledger/credit-operations.ts'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import { askPriceOpinion } from './ask-price-opinion.ts'
import { creditDeposit } from './credit-deposit.ts'
import { DOUBT_MIN_MS, judgeDeposit, PRICE_WAIT_MAX_MS, sumOfCredits, type DepositFacts } from './deposit-policy.ts'
import type { DepositChange } from './deposit-store.ts'
import { OPEN_STATES, type Deposit } from './deposit.ts'
import type { PriceOpinion } from './judge-price.ts'
import { measureInflow } from './measure-inflow.ts'
import { askSecondOpinion } from './second-opinion.ts'
import type { SettleDeps } from './settle-deps.ts'

/** A transaction as one provider shows it in a block. */
export interface SettleScene {
  readonly reader: ChainReader
  readonly view: ChainView
  readonly head: ChainHead
  readonly txHash: Hex
  readonly block: BlockRef
}

/**
 * Prices the open deposits of one account in one final transaction, and credits those that are sound and enough; the
 * others say why they wait.
 *
 * @param open in their present rows; all of one account.
 * @param transfers those of the chain that the deposits were recorded for.
 */
export async function finishDeposits(
  deps: SettleDeps,
  scene: SettleScene,
  open: readonly Deposit[],
  transfers: readonly ChainTransfer[],
): Promise<void> {
  await noteFinal(deps, open)
  const prices = await findPrices(scene, open)
  const priced: Deposit[] = []
  for (const deposit of open) {
    const valued = await price(deps, deposit, prices.get(deposit.asset) ?? null)
    if (valued !== null) priced.push(valued)
  }
  if (priced.length === 0) return
  const opinion = await askSecondOpinion(scene.reader, scene.view, { ...scene, transfers, prices })
  const priceOpinion = await findPriceOpinion(deps, scene, prices.get('ETH') ?? null)
  const sound = await judgeAll(deps, priced, { opinion, price: priceOpinion })
  const enough = await takeEnough(deps, sound, opinion)
  const owned = await withOwner(deps, enough)
  const inflowAt = inflowsOf(deps, scene.view)
  for (const deposit of owned) await creditCovered(deps, scene, { deposit, inflowAt })
}

/**
 * Leaves what came for an account that was erased to an operator, unless one has let it pass. Asked of what is enough
 * alone, so that a stranger cannot fill the operator's list with what is nearly worth nothing. Source: decision 0161.
 */
async function withOwner(deps: SettleDeps, enough: readonly Deposit[]): Promise<readonly Deposit[]> {
  const [first] = enough
  if (first === undefined || !(await deps.isErased(first.accountId))) return enough
  const note = 'Its account was erased: nobody could spend the credits.'
  for (const deposit of enough) if (deposit.releasedAt === null) await holdBack(deps, deposit, {}, note)
  return enough.filter(({ releasedAt }) => releasedAt !== null)
}

type InflowAt = (head: ChainHead, deposit: Deposit) => ReturnType<typeof measureInflow>

/** What came to an address up to a final block stays so: many deposits of one look are one question. */
function inflowsOf(deps: SettleDeps, view: ChainView): InflowAt {
  const measured = new Map<string, ReturnType<typeof measureInflow>>()
  return (head, deposit) => {
    const name = `${deposit.address} ${deposit.asset} ${head.finalized.number}`
    const inflow = measured.get(name) ?? measureInflow(deps, { view, head }, deposit)
    measured.set(name, inflow)
    return inflow
  }
}

/** A waiting client reads since when the block is final, whatever the deposit waits for afterwards. */
async function noteFinal({ deposits, clock }: SettleDeps, open: readonly Deposit[]): Promise<void> {
  for (const deposit of open) {
    if (deposit.finalAt === null) await deposits.change(deposit, OPEN_STATES, { finalAt: clock.now() }, clock.now())
  }
}

/** What each asset among the deposits is worth at the block; absent where that is not known. */
export async function findPrices(
  { view, head, block }: SettleScene,
  deposits: readonly Deposit[],
): Promise<ReadonlyMap<Asset, AssetPrice>> {
  const prices = new Map<Asset, AssetPrice>()
  for (const asset of new Set(deposits.map((deposit) => deposit.asset))) {
    const found = await view.findPrice(asset, block, head)
    if (found !== null) prices.set(asset, found)
  }
  return prices
}

/** What a price makes of a deposit; null values where it is worth more than can be. */
export function valueChange(
  deposit: Deposit,
  found: AssetPrice,
): Required<Pick<DepositChange, 'price' | 'priceRound' | 'priceTime'>> & { readonly credits: Nanocredits | null } {
  return {
    credits: valueOfDeposit(deposit.amount, ASSET_DECIMALS[deposit.asset], found.usd),
    price: found.usd,
    priceRound: found.round,
    priceTime: found.time,
  }
}

/** Notes the price of a deposit. Null when it has none, or is beyond all bounds, and so waits. */
async function price(deps: SettleDeps, deposit: Deposit, found: AssetPrice | null): Promise<Deposit | null> {
  // An operator who let it pass has said what it is worth.
  if (deposit.releasedAt !== null && deposit.credits !== null) return deposit
  if (found === null) {
    const hasWaited = deps.clock.now() - deposit.seenAt > PRICE_WAIT_MAX_MS
    if (hasWaited) return holdBack(deps, deposit, {}, 'The feed has no usable price for the time of its block.')
    return wait(deps, deposit, { reason: 'awaiting_price', credits: null })
  }
  const value = valueChange(deposit, found)
  if (value.credits === null) return doubt(deps, deposit, value, 'It is worth more than one deposit can be.')
  const change = { state: 'confirming', reason: 'confirming', ...value } as const
  const isChanged = await deps.deposits.change(deposit, OPEN_STATES, change, deps.clock.now())
  // What this look has found, and not the row: another look, which got no price, may have taken the worth away again,
  // and a deposit that is worth nothing would count as too small. The ledger compares with the row.
  return isChanged ? { ...deposit, ...change, credits: value.credits } : null
}

async function wait(deps: SettleDeps, deposit: Deposit, change: DepositChange): Promise<null> {
  await deps.deposits.change(deposit, OPEN_STATES, { state: 'confirming', ...change }, deps.clock.now())
  return null
}

/**
 * Has a deposit looked at again that does not fit the other answers, and leaves it to an operator once that has lasted:
 * a node that is wrong for a moment, or has not come so far yet, must not cost its owner a day.
 */
async function doubt(deps: SettleDeps, deposit: Deposit, change: DepositChange, note: string): Promise<null> {
  const now = deps.clock.now()
  const doubtedAt = deposit.doubtedAt ?? now
  if (now - doubtedAt >= DOUBT_MIN_MS) return holdBack(deps, deposit, change, note)
  return wait(deps, deposit, { ...change, reason: 'confirming', doubtedAt })
}

async function holdBack(deps: SettleDeps, deposit: Deposit, change: DepositChange, note: string): Promise<null> {
  const review: DepositChange = { ...change, state: 'under_review', reason: 'under_review', note }
  const isChanged = await deps.deposits.change(deposit, OPEN_STATES, review, deps.clock.now())
  if (isChanged) deps.onReview?.(deposit, note)
  return null
}

/** What speaks for the price of ETH; nothing is asked where none is paid. */
function findPriceOpinion(deps: SettleDeps, scene: SettleScene, found: AssetPrice | null): Promise<PriceOpinion> {
  if (found === null) return Promise.resolve('agrees')
  return askPriceOpinion(deps, { ...scene, chainId: scene.reader.chainId }, found)
}

async function judgeAll(
  deps: SettleDeps,
  priced: readonly Deposit[],
  { opinion, price }: Pick<DepositFacts, 'opinion' | 'price'>,
): Promise<readonly Deposit[]> {
  const credits = sumOfCredits(priced)
  const sound: Deposit[] = []
  for (const deposit of priced) {
    const { asset, sender, releasedAt } = deposit
    const facts = { asset, sender, isReleased: releasedAt !== null, opinion, price: priceOf(deps, deposit, price) }
    const verdict = judgeDeposit(deps.policy, facts, credits)
    if (verdict.kind === 'wait') await wait(deps, deposit, { reason: verdict.reason })
    if (verdict.kind === 'review') await holdBack(deps, deposit, {}, verdict.note)
    if (verdict.kind === 'doubt') await doubt(deps, deposit, {}, verdict.note)
    if (verdict.kind === 'sound') sound.push(deposit)
  }
  return sound
}

/** A second source that has said nothing for too long is none. */
function priceOf({ clock }: SettleDeps, { asset, seenAt }: Deposit, price: PriceOpinion): PriceOpinion {
  if (asset !== 'ETH') return 'agrees'
  return price === 'late' && clock.now() - seenAt > PRICE_WAIT_MAX_MS ? 'alone' : price
}

/**
 * Small deposits that one look takes with it. More of them are nearly worthless, and anyone can send them: neither a
 * claim nor a round of the watcher is to last as long as a stranger likes. Source: own choice.
 */
const WAITING_MAX = 200

/**
 * Small deposits wait for others of their account until together they are enough; the greatest of them count. That one
 * is small is not believed on the word of one provider while there is another: such a deposit is hardly looked at again.
 */
async function takeEnough(
  deps: SettleDeps,
  sound: readonly Deposit[],
  opinion: DepositFacts['opinion'],
): Promise<readonly Deposit[]> {
  const [first] = sound
  if (first === undefined) return []
  const isReleased = sound.every(({ releasedAt }) => releasedAt !== null)
  const waiting = (await deps.deposits.listBelowMinimum(first.accountId, first.chainId, WAITING_MAX)).filter(
    ({ depositId }) => !sound.some((deposit) => deposit.depositId === depositId),
  )
  if (isReleased || sumOfCredits([...sound, ...waiting]) >= deps.policy.minimum) return [...sound, ...waiting]
  const reason = opinion === 'later' ? 'confirming' : 'below_minimum'
  for (const deposit of sound) await wait(deps, deposit, { reason, doubtedAt: null })
  return []
}

async function creditCovered(
  deps: SettleDeps,
  scene: SettleScene,
  { deposit, inflowAt }: { readonly deposit: Deposit; readonly inflowAt: InflowAt },
): Promise<void> {
  // What is worth less than a nanocredit stays recorded and is never a transfer of nothing.
  if (deposit.credits === null || deposit.credits === 0n) return
  if (isTreasury(deps, deposit)) return notifyCredited(deps, deposit, await creditDeposit(deps, deposit, null))
  const { view } = scene
  // Another deposit may have been credited by a later block than the one that this look began with.
  for (const readHead of [() => Promise.resolve(scene.head), () => view.readHead()]) {
    const head = await readHead()
    const inflow = await inflowAt(head, deposit)
    if (inflow === null) return void (await wait(deps, deposit, { reason: 'awaiting_outflow' }))
    const result = await creditDeposit(deps, deposit, inflow)
    if (result.kind !== 'exceeds_inflow') return notifyCredited(deps, deposit, result)
    if (inflow.isMoving) return void (await wait(deps, deposit, { reason: 'awaiting_outflow' }))
  }
  // Nor does an operator who let it pass make it come: what was released is held back again.
  await doubt(deps, deposit, {}, 'More would be credited than ever came to its address.')
}

function isTreasury({ policy }: SettleDeps, { chainId, address }: Deposit): boolean {
  return policy.treasuries?.get(chainId) === address
}

async function notifyCredited(deps: SettleDeps, deposit: Deposit, result: CreditDepositResult): Promise<void> {
  if (result.kind !== 'deposited' || result.isRepeated) return
  const credited = await deps.deposits.find(deposit.depositId)
  if (credited !== null) deps.onCredited?.(credited)
}
