import { readAccountLimits, type ReadLimits } from '../../access/keys/account-limits.ts'
import { listKeys, type KeySummary } from '../../access/keys/list-keys.ts'
import type {
  DirectoryFilter,
  DirectoryFunding,
  DirectoryMember,
  DirectoryRow,
  DirectoryTeam,
  DirectoryUsage,
  OpenHoldFigures,
} from './account-directory-store.ts'
import type { OperationsDeps } from './operations-deps.ts'

/** An account with all that belongs to it. Nothing of it is a secret, and nothing was said in a request. */
export interface FoundAccount {
  readonly row: DirectoryRow
  readonly limits: ReadLimits
  readonly holds: OpenHoldFigures
  readonly teams: readonly DirectoryTeam[]
  readonly members: readonly DirectoryMember[]
  /** The newest ones. */
  readonly keys: readonly KeySummary[]
  /** The last ones. */
  readonly requests: readonly DirectoryUsage[]
  readonly fundings: readonly DirectoryFunding[]
}

const KEYS_SHOWN = 100
const REQUESTS_SHOWN = 10
const FUNDINGS_SHOWN = 20

type FindDeps = Pick<OperationsDeps, 'directory' | 'keys' | 'limits' | 'clock'>

/** Newest first. */
export function searchAccounts(
  { directory }: Pick<FindDeps, 'directory'>,
  filter: DirectoryFilter,
): Promise<readonly DirectoryRow[]> {
  return directory.search(filter)
}

/** Returns null for an account that is not there. */
export async function readAccount(deps: FindDeps, accountId: string): Promise<FoundAccount | null> {
  const { directory, keys: store, limits: limitDeps, clock } = deps
  const { gatewayLimits } = limitDeps
  const row = await directory.find(accountId)
  if (row === null) return null
  const [limits, holds, teams, members, keys, requests, fundings] = await Promise.all([
    readAccountLimits(limitDeps, accountId),
    directory.readOpenHolds(accountId),
    directory.listTeams(accountId, clock.now()),
    directory.listMembers(accountId),
    listKeys({ store, clock, gatewayLimits }, { accountId, limit: KEYS_SHOWN }),
    directory.listUsage(accountId, REQUESTS_SHOWN),
    directory.listFundings(accountId, FUNDINGS_SHOWN),
  ])
  return { row, limits, holds, teams, members, keys, requests, fundings }
}

export type { DirectoryRow, DirectoryTeam } from './account-directory-store.ts'
