import type { DepositBody, DepositListReply, Printed } from '@svc/contract'
import { depositNotFound } from './claim-deposit.ts'
import type { DepositStore } from './deposit-store.ts'
import { renderDeposit } from './render-deposit.ts'

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
  { store }: ReadDepositsDeps,
  accountId: string,
  { after, limit }: DepositsPage,
): Promise<Printed<DepositListReply>> {
  // One more than asked for tells whether there are more.
  const found = await store.listByAccount(accountId, { limit: limit + 1, ...(after === undefined ? {} : { after }) })
  const data = found.slice(0, limit).map(renderDeposit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  }
}

/**
 * Shows one deposit of an account.
 *
 * @throws {ServiceError} `deposit_not_found`, also for a deposit of another account.
 */
export async function getDeposit(
  { store }: ReadDepositsDeps,
  accountId: string,
  depositId: string,
): Promise<Printed<DepositBody>> {
  const deposit = await store.find(depositId)
  if (deposit === null || deposit.accountId !== accountId) throw depositNotFound()
  return renderDeposit(deposit)
}
