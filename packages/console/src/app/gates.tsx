/** The addresses before the sign-in. */
import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { NotFoundPage } from './error-page.tsx'
import * as searches from './search.ts'

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searches.readNextSearch,
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const link = createRoute({
  getParentRoute: () => root,
  path: '/link',
  validateSearch: searches.readNextSearch,
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/sign-in/link-page.tsx'), 'LinkPage'),
})

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/sign-in/invitation-page.tsx'), 'InvitationPage'),
})

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/sign-in/first-run-page.tsx'), 'FirstRunPage'),
})

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/sign-in/confirm-email-page.tsx'), 'ConfirmEmailPage'),
})

const terms = createRoute({
  getParentRoute: () => root,
  path: '/terms',
  loader: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/terms/terms-page.tsx'), 'TermsPage'),
})

export const gates = [terms, signIn, link, confirmEmail, invitation, firstRun] as const
