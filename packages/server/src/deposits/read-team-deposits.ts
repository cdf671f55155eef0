/** Deposits as the console shows them: with a guess of how long they still take. */
import type { DepositsQuery, Printed, teamDeposit, teamDepositList } from '@svc/contract'
import type { z } from 'zod'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Deposit } from './deposit.ts'
import type { FinalityLags } from './finality-lags.ts'
import { findDeposits, findOwnDeposit, type ReadDepositsDeps } from './read-deposits.ts'
import { renderDeposit } from './render-deposit.ts'

export interface ReadTeamDepositsDeps extends ReadDepositsDeps {
  /** Null where deposits are off. */
  readonly lags: Pick<FinalityLags, 'lagOf'> | null
  readonly clock: Clock
}

type TeamDeposit = Printed<z.output<typeof teamDeposit>>

/** Lists the deposits of an account, newest first. */
export async function listTeamDeposits(
  deps: ReadTeamDepositsDeps,
  accountId: string,
  page: DepositsQuery,
): Promise<Printed<z.output<typeof teamDepositList>>> {
  const { deposits, ...rest } = await findDeposits(deps, accountId, page)
  return { ...rest, data: deposits.map((deposit) => renderTeamDeposit(deps, deposit)) }
}

/** Shows one. @throws {ServiceError} `deposit_not_found`, also for a deposit of another account. */
export async function getTeamDeposit(
  deps: ReadTeamDepositsDeps,
  accountId: string,
  depositId: string,
): Promise<TeamDeposit> {
  return renderTeamDeposit(deps, await findOwnDeposit(deps, accountId, depositId))
}

function renderTeamDeposit(deps: ReadTeamDepositsDeps, deposit: Deposit): TeamDeposit {
  return { ...renderDeposit(deposit), eta_seconds: etaOf(deps, deposit) }
}

/** Its block is final once as much time has passed as the chain's final block is behind its newest one. */
function etaOf({ lags, clock }: ReadTeamDepositsDeps, deposit: Deposit): number | null {
  const isOpen = deposit.state === 'seen' || deposit.state === 'confirming'
  if (!isOpen || deposit.finalAt !== null || lags === null) return null
  const lagMs = lags.lagOf(deposit.chainId)
  return lagMs === null ? null : Math.max(1, Math.ceil((deposit.blockTime + lagMs - clock.now()) / 1_000))
}
