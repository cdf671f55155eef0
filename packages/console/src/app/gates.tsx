/** The addresses before the sign-in. */
import { createRootRoute, createRoute } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { sessionQuery } from '../api/session.ts'
import { lazyPage } from '../ui/lazy-part.ts'
import { Root } from './root.tsx'
import * as searches from './search.ts'

const NotFoundPage = lazyPage(() => import('./not-found-page.tsx'), 'NotFoundPage')

export const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage })

/** What all of them have. */
const gate = {
  getParentRoute: () => root,
  loader: () => queryClient.ensureQueryData(sessionQuery),
}

const signIn = createRoute({
  ...gate,
  path: '/sign-in',
  validateSearch: searches.readNextSearch,
  component: lazyPage(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const link = createRoute({
  ...gate,
  path: '/link',
  validateSearch: searches.readNextSearch,
  component: lazyPage(() => import('../pages/sign-in/link-page.tsx'), 'LinkPage'),
})

const invitation = createRoute({
  ...gate,
  path: '/invitation',
  component: lazyPage(() => import('../pages/sign-in/invitation-page.tsx'), 'InvitationPage'),
})

const firstRun = createRoute({
  ...gate,
  path: '/first-run',
  component: lazyPage(() => import('../pages/sign-in/first-run-page.tsx'), 'FirstRunPage'),
})

const confirmEmail = createRoute({
  ...gate,
  path: '/confirm-email',
  component: lazyPage(() => import('../pages/sign-in/confirm-email-page.tsx'), 'ConfirmEmailPage'),
})

const terms = createRoute({
  ...gate,
  path: '/terms',
  component: lazyPage(() => import('../pages/terms/terms-page.tsx'), 'TermsPage'),
})

const receipt = createRoute({
  ...gate,
  path: '/receipt',
  component: lazyPage(() => import('../pages/receipt/receipt-page.tsx'), 'ReceiptPage'),
})

export const gates = [terms, receipt, signIn, link, confirmEmail, invitation, firstRun] as const
