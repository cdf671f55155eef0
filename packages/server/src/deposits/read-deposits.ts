import type { DepositBody, DepositListReply, Printed } from '@svc/contract'
import { depositNotFound } from './claim-deposit.ts'
import type { DepositStore } from './deposit-store.ts'
import type { Deposit } from './deposit.ts'
import { renderDeposit, renderDepositId } from './render-deposit.ts'

export interface ReadDepositsDeps {
  readonly store: Pick<DepositStore, 'find' | 'listByAccount'>
}

export interface DepositsPage {
  /** Continue after this deposit. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Lists the deposits of an account, newest first. */
export async function listDeposits(
  deps: ReadDepositsDeps,
  accountId: string,
  page: DepositsPage,
): Promise<Printed<DepositListReply>> {
  const { deposits, ...rest } = await findDeposits(deps, accountId, page)
  return { ...rest, data: deposits.map(renderDeposit) }
}

/** The same page, with the deposits as stored. */
export async function findDeposits(
  { store }: ReadDepositsDeps,
  accountId: string,
  { after, limit }: DepositsPage,
): Promise<Omit<Printed<DepositListReply>, 'data'> & { readonly deposits: readonly Deposit[] }> {
  // One more than asked for tells whether there are more.
  const found = await store.listByAccount(accountId, { limit: limit + 1, ...(after === undefined ? {} : { after }) })
  const deposits = found.slice(0, limit)
  return {
    object: 'list',
    deposits,
    first_id: idOf(deposits[0]),
    last_id: idOf(deposits.at(-1)),
    has_more: found.length > limit,
  }
}

/**
 * Shows one deposit of an account.
 *
 * @throws {ServiceError} `deposit_not_found`, also for a deposit of another account.
 */
export async function getDeposit(
  deps: ReadDepositsDeps,
  accountId: string,
  depositId: string,
): Promise<Printed<DepositBody>> {
  return renderDeposit(await findOwnDeposit(deps, accountId, depositId))
}

/**
 * Finds one deposit of an account.
 *
 * @throws {ServiceError} `deposit_not_found`, also for a deposit of another account.
 */
export async function findOwnDeposit(
  { store }: ReadDepositsDeps,
  accountId: string,
  depositId: string,
): Promise<Deposit> {
  const deposit = await store.find(depositId)
  if (deposit === null || deposit.accountId !== accountId) throw depositNotFound()
  return deposit
}

function idOf(deposit: Deposit | undefined): string | null {
  return deposit === undefined ? null : renderDepositId(deposit.depositId)
}
