import { createClient } from '@svc/contract'

/** The gateway that this page came from, called with the session's cookie. */
export const consoleApi = createClient({ baseUrl: `${location.origin}/api` })
