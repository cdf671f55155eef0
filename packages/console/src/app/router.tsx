/** Every address of the console. Pages load when they are opened; what they need first is asked for meanwhile. */
import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { modelsQuery } from '../api/team.ts'
import { lazyPage } from '../ui/lazy-part.ts'
import { PageSkeleton } from '../ui/skeleton.tsx'
import { ErrorPage } from './error-page.tsx'
import { gates, root } from './gates.tsx'
import { meantTeam } from './last-team.ts'
import { operatorPages } from './operator-routes.ts'
import * as searches from './search.ts'
import { signedIn, team } from './team-route.ts'

/**
 * Short addresses that links from elsewhere use: they lead to the team that is meant. Where the team is not known,
 * the console's own address leads to the first, which says its name, and every other one asks.
 */
const PLACES = ['playground', 'models', 'keys', 'usage', 'fund', 'team', 'account', 'device'] as const

const shortcuts = ['', ...PLACES].map((place) =>
  createRoute({
    getParentRoute: () => signedIn,
    path: `/${place}`,
    beforeLoad: ({ context, location }) => {
      const meant = meantTeam(context.teams) ?? (place === '' ? context.teams[0] : undefined)
      if (meant === undefined) return
      const rest = `${place === '' ? '' : `/${place}`}${location.searchStr}`
      redirect({ href: `/console/team/${meant.id}${rest}`, throw: true })
    },
    component: lazyPage(() => import('../pages/team/choose-team-page.tsx'), 'ChooseTeamPage'),
  }),
)

const overview = createRoute({
  getParentRoute: () => team,
  path: '/',
  component: lazyPage(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})

const keys = createRoute({
  getParentRoute: () => team,
  path: '/keys',
  validateSearch: searches.readKeysSearch,
  component: lazyPage(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
})

const key = createRoute({
  getParentRoute: () => team,
  path: '/keys/$keyId',
  validateSearch: searches.readKeySearch,
  component: lazyPage(() => import('../pages/keys/key-page.tsx'), 'KeyPage'),
})

const usage = createRoute({
  getParentRoute: () => team,
  path: '/usage',
  validateSearch: searches.readUsageSearch,
  component: lazyPage(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
})

const usageRecord = createRoute({
  getParentRoute: () => usage,
  path: '/$requestId',
  component: lazyPage(() => import('../pages/usage/usage-record.tsx'), 'UsageRecord'),
})

/** The longest list of all, and the same for everybody. */
const askForModels = (): Promise<void> => queryClient.prefetchQuery(modelsQuery)

const models = createRoute({
  getParentRoute: () => team,
  path: '/models',
  validateSearch: searches.readModelsSearch,
  component: lazyPage(() => import('../pages/models/models-page.tsx'), 'ModelsPage', askForModels),
})

const model = createRoute({
  getParentRoute: () => team,
  path: '/models/$modelId',
  validateSearch: searches.readWorkSearch,
  component: lazyPage(() => import('../pages/models/model-page.tsx'), 'ModelPage', askForModels),
})

const fund = createRoute({
  getParentRoute: () => team,
  path: '/fund',
  validateSearch: searches.readFundSearch,
  component: lazyPage(() => import('../pages/fund/fund-page.tsx'), 'FundPage'),
})

const fundDeposit = createRoute({
  getParentRoute: () => fund,
  path: '/deposits/$depositId',
  component: lazyPage(() => import('../pages/fund/deposit-drawer.tsx'), 'DepositDrawer'),
})

const statement = createRoute({
  getParentRoute: () => team,
  path: '/fund/statement',
  validateSearch: searches.readStatementSearch,
  component: lazyPage(() => import('../pages/statement/statement-page.tsx'), 'StatementPage'),
})

const invoice = createRoute({
  getParentRoute: () => team,
  path: '/fund/invoices/$number',
  component: lazyPage(() => import('../pages/documents/invoice-page.tsx'), 'InvoicePage'),
})

const receipt = createRoute({
  getParentRoute: () => team,
  path: '/fund/receipts/$depositId',
  component: lazyPage(() => import('../pages/documents/receipt-page.tsx'), 'ReceiptPage'),
})

const people = createRoute({
  getParentRoute: () => team,
  path: '/team',
  validateSearch: (search): { invite?: true } => (search['invite'] === true ? { invite: true } : {}),
  component: lazyPage(() => import('../pages/team/team-page.tsx'), 'TeamPage'),
})

const newTeam = createRoute({
  getParentRoute: () => team,
  path: '/new-team',
  component: lazyPage(() => import('../pages/team/new-team-page.tsx'), 'NewTeamPage'),
})

const playground = createRoute({
  getParentRoute: () => team,
  path: '/playground',
  validateSearch: searches.readPlaygroundSearch,
  component: lazyPage(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})

const account = createRoute({
  getParentRoute: () => team,
  path: '/account',
  component: lazyPage(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})

const device = createRoute({
  getParentRoute: () => team,
  path: '/device',
  component: lazyPage(() => import('../pages/device/device-page.tsx'), 'DevicePage'),
})

const catalogPages = [models, model, keys, key] as const
const peoplePages = [people, newTeam, account, device] as const
const routes = root.addChildren([
  ...gates,
  signedIn.addChildren([
    ...shortcuts,
    team.addChildren([
      overview,
      playground,
      ...catalogPages,
      usage.addChildren([usageRecord]),
      fund.addChildren([fundDeposit]),
      ...([statement, invoice, receipt] as const),
      ...peoplePages,
      operatorPages,
    ]),
  ]),
])

export const router = createRouter({
  routeTree: routes,
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
})

/** Begins to load the page of the address at once: the router waits for the session first. */
export function loadEarly(): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const component: unknown = router.routesById[routeId]?.options.component
    const preload: unknown = Reflect.get(Object(component), 'preload')
    if (typeof preload === 'function') void preload()
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
