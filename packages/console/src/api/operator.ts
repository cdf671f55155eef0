/** What the operator's pages ask for. */
import { consoleEndpoints, type Exact, type OperatorAccountDetails } from '@svc/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AccountsSearch, DepositsSearch, JournalSearch } from '../app/operator-search.ts'
import { consoleApi } from './client.ts'

/** Begins every key of these queries: what one action changes, another page shows. */
export const OPERATOR = 'operator'

export const operatorSettingsQuery = queryOptions({
  queryKey: [OPERATOR, 'settings'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getOperatorSettings, {}, { signal }),
})

export const operatorAnnouncementsQuery = queryOptions({
  queryKey: [OPERATOR, 'announcements'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listOperatorAnnouncements, {}, { signal }),
})

/** Prices and routes of the file and of the console. */
export const offersQuery = queryOptions({
  queryKey: [OPERATOR, 'offers'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getOffers, {}, { signal }),
})

/** Limits of the whole gateway, wherever they are set. */
export const gatewayLimitsQuery = queryOptions({
  queryKey: [OPERATOR, 'limits'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getGatewayLimits, {}, { signal }),
})

export const operatorsQuery = queryOptions({
  queryKey: [OPERATOR, 'operators'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listOperators, {}, { signal }),
})

export const accountsQuery = (search: AccountsSearch) =>
  queryOptions({
    queryKey: [OPERATOR, 'accounts', search],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listOperatorAccounts, { query: search }, { signal }),
    placeholderData: keepPreviousData,
  })

/** One account with everything about it. */
export type Account = Exact<OperatorAccountDetails>

export const accountQuery = (accountId: string) =>
  queryOptions({
    queryKey: [OPERATOR, 'account', accountId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getOperatorAccount, { path: { account_id: accountId } }, { signal }),
  })

export const operatorDepositsQuery = ({ state = 'under_review', ...rest }: DepositsSearch) =>
  queryOptions({
    queryKey: [OPERATOR, 'deposits', { state, ...rest }],
    queryFn: ({ signal }) =>
      consoleApi.call(
        consoleEndpoints.listOperatorDeposits,
        { query: { ...rest, ...(state === 'all' ? {} : { state }) } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })

export const operatorDepositQuery = (depositId: string) =>
  queryOptions({
    queryKey: [OPERATOR, 'deposit', depositId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getOperatorDeposit, { path: { deposit_id: depositId } }, { signal }),
  })

export const evidenceQuery = (depositId: string) =>
  queryOptions({
    queryKey: [OPERATOR, 'evidence', depositId],
    queryFn: ({ signal }) =>
      consoleApi.call(consoleEndpoints.getDepositEvidence, { path: { deposit_id: depositId } }, { signal }),
  })

const UPSTREAMS_MS = 5_000

export const upstreamsQuery = queryOptions({
  queryKey: [OPERATOR, 'upstreams'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getUpstreams, {}, { signal }),
  refetchInterval: UPSTREAMS_MS,
})

export const pricesQuery = queryOptions({
  queryKey: [OPERATOR, 'prices'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.comparePrices, {}, { signal }),
})

const RUNNING_MS = 700

export const auditQuery = queryOptions({
  queryKey: [OPERATOR, 'audit'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getAudit, {}, { signal }),
  refetchInterval: ({ state }) => (state.data?.running == null ? false : RUNNING_MS),
})

export const journalQuery = (search: JournalSearch) =>
  queryOptions({
    queryKey: [OPERATOR, 'journal', search],
    queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listJournal, { query: search }, { signal }),
    placeholderData: keepPreviousData,
  })

export const termsQuery = queryOptions({
  queryKey: ['terms'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.getTerms, {}, { signal }),
})
