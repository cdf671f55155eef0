import { SIGN_OUT_PATH } from './sign-in.ts'

/** Below this path the library answers. */
export const SIGN_IN_PATH = '/api/auth'
/** Set by the edge from the connection, over whatever the client sent. */
export const ADDRESS_HEADER = 'x-svc-address'

/** Makes a person only after their token was taken. */
export const FIRST_RUN_PATH = '/first-run'
/** Makes a person by the invitation email. */
export const JOIN_PATH = '/join'
/** One click, where there is a person to be. */
export const DEMO_PATH = '/sign-in/demo'
export const PASSWORD_PATH = '/sign-in/email'
/** Finishes a sign-in that waits for a second factor. */
export const FACTOR_PATH = '/second-factor'
/** Asks for what a browser asks a passkey for. */
export const PASSKEY_OPTIONS_PATH = '/passkey/options'
/** Signs in by a passkey. */
export const PASSKEY_PATH = '/passkey/verify'
export const CHALLENGE_PATH = '/siwe/challenge'

/**
 * What is offered to browsers. Everything else that the library can do is not reachable: each further path is surface.
 */
export const OFFERED: ReadonlySet<string> = new Set([
  'POST /sign-in/magic-link',
  'POST /magic-link/verify',
  `POST ${PASSWORD_PATH}`,
  `POST ${FACTOR_PATH}`,
  `POST ${DEMO_PATH}`,
  `POST ${PASSKEY_OPTIONS_PATH}`,
  `POST ${PASSKEY_PATH}`,
  `POST ${CHALLENGE_PATH}`,
  'POST /siwe/verify',
  `POST ${FIRST_RUN_PATH}`,
  `POST ${JOIN_PATH}`,
  `POST ${SIGN_OUT_PATH}`,
])
