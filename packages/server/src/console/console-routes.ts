import type { FastifyInstance } from 'fastify'
import { mountModelPrice, mountModelSpeeds, mountRequestPrice } from './model-price.ts'
import { mountAccount } from './account.ts'
import { mountDevices } from './devices.ts'
import { mountOwnInvitations } from './own-invitations.ts'
import { mountPasskeys } from './passkeys.ts'
import { mountPlaygroundKey } from './playground-key.ts'
import { mountOperatorAccounts } from './operator-accounts.ts'
import { mountOperatorDeposits } from './operator-deposits.ts'
import { mountOperatorInsight } from './operator-insight.ts'
import { mountOperatorReconciliations } from './operator-reconciliations.ts'
import { mountOperatorRequests } from './operator-requests.ts'
import { mountOperatorLimits } from './operator-limits.ts'
import { mountOperatorOffers } from './operator-offers.ts'
import { mountOperatorSettings } from './operator-settings.ts'
import { mountSecondFactor } from './second-factor.ts'
import type { ConsoleEdge } from './session-route.ts'
import { mountSessions } from './sessions.ts'
import { mountSignInPages } from './sign-in-pages.ts'
import { mountAnnouncements } from './announcements.ts'
import { mountTeamData } from './team-data.ts'
import { mountTeamFunding } from './team-funding.ts'
import { mountTeamInvoices } from './team-invoices.ts'
import { mountTeamKeys } from './team-keys.ts'
import { mountTeamLimits } from './team-limits.ts'
import { mountTeamMoney } from './team-money.ts'
import { mountTeamPeople } from './team-people.ts'
import { mountTeamStatement } from './team-statement.ts'

/** Mounts everything that the console calls with a session. No other site may read it: there is no CORS here. */
export function mountConsoleRoutes(app: FastifyInstance, parts: ConsoleEdge): void {
  mountSignInPages(app, parts)
  mountSessions(app, parts)
  mountAccount(app, parts)
  mountSecondFactor(app, parts)
  mountPasskeys(app, parts)
  mountDevices(app, parts)
  mountOwnInvitations(app, parts)
  mountTeamPeople(app, parts)
  mountTeamData(app, parts)
  mountTeamKeys(app, parts)
  mountTeamLimits(app, parts)
  mountPlaygroundKey(app, parts)
  mountTeamMoney(app, parts)
  mountTeamFunding(app, parts)
  mountTeamStatement(app, parts)
  mountTeamInvoices(app, parts)
  mountOperatorSettings(app, parts)
  mountAnnouncements(app, parts)
  mountOperatorOffers(app, parts)
  mountOperatorLimits(app, parts)
  mountOperatorAccounts(app, parts)
  mountOperatorDeposits(app, parts)
  mountOperatorInsight(app, parts)
  mountOperatorRequests(app, parts)
  mountOperatorReconciliations(app, parts)
  mountModelPrice(app, parts)
  mountRequestPrice(app, parts)
  mountModelSpeeds(app, parts)
}
