/** The addresses of operators' pages. */
import { createRoute, Outlet, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { lazyPage } from '../ui/lazy-part.ts'
import * as searches from './operator-search.ts'
import { team } from './team-route.ts'

/**
 * The pages of operators. The server refuses all others; here they are led away, unless the frame of
 * the team has something to tell them.
 */
const operator = createRoute({
  getParentRoute: () => team,
  path: '/operator',
  beforeLoad: async ({ context, params }) => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    const isMember = context.teams.some(({ id }) => id === params.teamId)
    if (isMember && user?.is_operator !== true) redirect({ to: '/', throw: true })
  },
  component: Outlet,
})

const operatorEarnings = createRoute({
  getParentRoute: () => operator,
  path: '/earnings',
  validateSearch: searches.readEarningsSearch,
  component: lazyPage(() => import('../pages/operator/earnings-page.tsx'), 'EarningsPage'),
})

const operatorReconciliation = createRoute({
  getParentRoute: () => operatorEarnings,
  path: '/$runId',
  component: lazyPage(() => import('../pages/operator/reconciliation-drawer.tsx'), 'ReconciliationDrawer'),
})

const operatorRequest = createRoute({
  getParentRoute: () => operator,
  path: '/requests/$requestId',
  component: lazyPage(() => import('../pages/operator/request-page.tsx'), 'OperatorRequestPage'),
})

const operatorAccounts = createRoute({
  getParentRoute: () => operator,
  path: '/accounts',
  validateSearch: searches.readAccountsSearch,
  component: lazyPage(() => import('../pages/operator/accounts-page.tsx'), 'AccountsPage'),
})

const operatorAccount = createRoute({
  getParentRoute: () => operator,
  path: '/accounts/$accountId',
  component: lazyPage(() => import('../pages/operator/account-page.tsx'), 'OperatorAccountPage'),
})

const operatorDeposits = createRoute({
  getParentRoute: () => operator,
  path: '/deposits',
  validateSearch: searches.readDepositsSearch,
  component: lazyPage(() => import('../pages/operator/deposits-page.tsx'), 'DepositsPage'),
})

const operatorDeposit = createRoute({
  getParentRoute: () => operatorDeposits,
  path: '/$depositId',
  component: lazyPage(() => import('../pages/operator/deposit-drawer.tsx'), 'DepositDrawer'),
})

const operatorUpstreams = createRoute({
  getParentRoute: () => operator,
  path: '/upstreams',
  component: lazyPage(() => import('../pages/operator/upstreams-page.tsx'), 'UpstreamsPage'),
})

const operatorPrices = createRoute({
  getParentRoute: () => operator,
  path: '/prices',
  validateSearch: searches.readPricesSearch,
  component: lazyPage(() => import('../pages/operator/prices-page.tsx'), 'PricesPage'),
})

const operatorLimits = createRoute({
  getParentRoute: () => operator,
  path: '/limits',
  component: lazyPage(() => import('../pages/operator/gateway-limits-page.tsx'), 'GatewayLimitsPage'),
})

const operatorAnnouncements = createRoute({
  getParentRoute: () => operator,
  path: '/announcements',
  component: lazyPage(() => import('../pages/operator/announcements-page.tsx'), 'AnnouncementsPage'),
})

const operatorAudit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  component: lazyPage(() => import('../pages/operator/audit-page.tsx'), 'AuditPage'),
})

const operatorJournal = createRoute({
  getParentRoute: () => operator,
  path: '/journal',
  validateSearch: searches.readJournalSearch,
  component: lazyPage(() => import('../pages/operator/journal-page.tsx'), 'JournalPage'),
})

const operatorSettings = createRoute({
  getParentRoute: () => operator,
  path: '/settings',
  component: lazyPage(() => import('../pages/operator/settings-page.tsx'), 'SettingsPage'),
})

export const operatorPages = operator.addChildren([
  operatorEarnings.addChildren([operatorReconciliation]),
  operatorRequest,
  operatorAccounts,
  operatorAccount,
  operatorDeposits.addChildren([operatorDeposit]),
  operatorUpstreams,
  operatorPrices,
  operatorLimits,
  operatorAnnouncements,
  operatorAudit,
  operatorJournal,
  operatorSettings,
])
