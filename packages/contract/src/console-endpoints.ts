/**
 * The rows that the console calls with a session. They are no part of the public document: the console comes with the
 * gateway, and both change together.
 */
import { accountEndpoints } from './console/account-endpoints.ts'
import type { ConsoleEndpoint } from './console/console-endpoint.ts'
import { announcementEndpoints } from './console/announcement-endpoints.ts'
import { deviceEndpoints } from './console/device-endpoints.ts'
import { invitationEndpoints } from './console/invitation-endpoints.ts'
import { fundingEndpoints } from './console/funding-endpoints.ts'
import { invoiceEndpoints } from './console/invoice-endpoints.ts'
import { limitEndpoints } from './console/limit-endpoints.ts'
import { modelPriceEndpoints } from './console/model-endpoints.ts'
import { offerEndpoints } from './console/offer-endpoints.ts'
import { operatorEndpoints } from './console/operator-endpoints.ts'
import { passkeyEndpoints } from './console/passkey-endpoints.ts'
import { peopleEndpoints } from './console/people-endpoints.ts'
import { sessionEndpoints } from './console/session-endpoints.ts'
import { teamEndpoints } from './console/team-endpoints.ts'

export const consoleEndpoints = {
  ...sessionEndpoints,
  ...accountEndpoints,
  ...passkeyEndpoints,
  ...deviceEndpoints,
  ...teamEndpoints,
  ...peopleEndpoints,
  ...invitationEndpoints,
  ...fundingEndpoints,
  ...invoiceEndpoints,
  ...operatorEndpoints,
  ...announcementEndpoints,
  ...offerEndpoints,
  ...limitEndpoints,
  ...modelPriceEndpoints,
} as const

export type ConsoleEndpointId = keyof typeof consoleEndpoints

export const consoleEndpointList: readonly (ConsoleEndpoint & { readonly id: ConsoleEndpointId })[] =
  Object.values(consoleEndpoints)
