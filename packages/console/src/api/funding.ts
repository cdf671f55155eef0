/** What the pages about deposits and statements ask for. */
import { ApiError, consoleEndpoints, type ClaimReply, type Exact, type TeamDeposit } from '@svc/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { consoleApi } from './client.ts'

/** Rows of a page. */
const DEPOSIT_ROWS = 20
export const ENTRY_ROWS = 50

/** How often something that moves is looked at again, in milliseconds. */
const MOVING_MS = 3_000
const RESTING_MS = 20_000
/** A person may claim ten times a minute. */
const CLAIM_PAUSE_MS = 7_000

export type Deposit = Exact<TeamDeposit>

/** A payment that a person says they have made. */
export interface Claim {
  readonly chainId: 4663 | 46630
  readonly asset: 'USDG' | 'ETH'
  readonly txHash: string
}

/** Whether it may still change by itself. */
export function isMoving({ status }: Pick<Deposit, 'status'>): boolean {
  return status === 'seen' || status === 'confirming' || status === 'reversed' || status === 'under_review'
}

/** @param isStarting whether a chain may come by itself: one of the sandbox comes some seconds after the gateway. */
export const placesQuery = (teamId: string, isStarting = false) =>
  queryOptions({
    queryKey: ['team', teamId, 'deposit-address'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamDepositAddress, { path: { team_id: teamId } }, { signal }),
    refetchInterval: ({ state }) => (isStarting && state.data?.chains.length === 0 ? MOVING_MS : false),
  })

/** Looks at its rows more often while one of them moves. */
export const depositsQuery = (teamId: string, after?: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'deposits', after ?? ''],
    queryFn: ({ signal }) => {
      const query = { limit: DEPOSIT_ROWS, ...(after === undefined ? {} : { after }) }
      return consoleApi.call(consoleEndpoints.listTeamDeposits, { path: { team_id: teamId }, query }, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) === true ? MOVING_MS : RESTING_MS),
  })

/** @param depositId null asks for nothing. */
export const depositQuery = (teamId: string, depositId: string | null) =>
  queryOptions({
    queryKey: ['team', teamId, 'deposit', depositId],
    queryFn: ({ signal }) =>
      consoleApi.call(
        consoleEndpoints.getTeamDeposit,
        { path: { team_id: teamId, deposit_id: depositId ?? '' } },
        { signal },
      ),
    enabled: depositId !== null,
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? MOVING_MS : false),
  })

/** What a claim said, and when asking again makes sense. */
export interface ClaimState {
  readonly reply: Exact<ClaimReply>
  readonly retryAfterMs: number | null
}

/**
 * Claims, and goes on as long as the gateway says that asking again makes sense and there is no deposit to follow yet.
 * The same claim may be sent any number of times.
 */
export const claimQuery = (teamId: string, claim: Claim) =>
  queryOptions({
    queryKey: ['team', teamId, 'claim', claim],
    queryFn: async ({ signal }): Promise<ClaimState> => {
      let retryAfterMs: number | null = null
      const reply = await consoleApi.call(
        consoleEndpoints.claimTeamDeposit,
        { path: { team_id: teamId }, body: claim },
        {
          signal,
          onResponse: ({ headers }) => {
            const seconds = Number(headers.get('retry-after') ?? Number.NaN)
            retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null
          },
        },
      )
      return { reply, retryAfterMs }
    },
    retry: false,
    staleTime: Infinity,
    refetchInterval: ({ state: { data, error } }) => {
      if (error !== null) {
        const waitMs = error instanceof ApiError ? error.retryAfterMs : CLAIM_PAUSE_MS
        return waitMs === null ? false : Math.max(CLAIM_PAUSE_MS, waitMs)
      }
      return data?.reply.id === null ? Math.max(CLAIM_PAUSE_MS, data.retryAfterMs ?? 0) : false
    },
  })

/** How often the price of ETH is asked for while a page shows it, in milliseconds. */
const PRICE_MS = 30_000

/** What one ETH is worth now. */
export const pricesQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'prices'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.listTeamPrices, { path: { team_id: teamId } }, { signal }),
    refetchInterval: PRICE_MS,
  })

/** Both parties of the team's invoices and receipts. */
export const billingQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'billing'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamBilling, { path: { team_id: teamId } }, { signal }),
  })

export const invoicesQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'invoices'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.listTeamInvoices, { path: { team_id: teamId } }, { signal }),
  })

export const invoiceQuery = (teamId: string, number: number) =>
  queryOptions({
    queryKey: ['team', teamId, 'invoices', number],
    queryFn: ({ signal }) =>
      consoleApi.call(
        consoleEndpoints.getTeamInvoice,
        { path: { team_id: teamId, number: String(number) } },
        { signal },
      ),
  })

export const walletsQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'wallets'],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.listTeamWallets, { path: { team_id: teamId } }, { signal }),
  })

export const statementQuery = (teamId: string, month: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'statement', month],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getTeamStatement, { path: { team_id: teamId }, query: { month } }, { signal }),
    placeholderData: keepPreviousData,
  })

export const statementEntriesQuery = (teamId: string, month: string, after?: string) =>
  queryOptions({
    queryKey: ['team', teamId, 'statement', month, after ?? ''],
    queryFn: ({ signal }) =>
      consoleApi.call(
        consoleEndpoints.listTeamStatementEntries,
        { path: { team_id: teamId }, query: { month, limit: ENTRY_ROWS, ...(after === undefined ? {} : { after }) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })
