/** Why the gateway could not be reached, in words that say what to do. */
import { ConnectionError } from '@svc/contract'

interface Reason {
  readonly text: string
  /** Whether another attempt would end in the same way. */
  readonly isPermanent?: boolean
}

const OWN_AUTHORITY = 'If it is signed by an authority of your own, name its file in NODE_EXTRA_CA_CERTS.'

/** Source: Node's documentation of system and TLS errors; OpenSSL's reasons of a failed verification. */
const REASONS: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: { text: 'nothing listens there.' },
  ENOTFOUND: { text: 'its name is not known.', isPermanent: true },
  EAI_AGAIN: { text: 'its name could not be looked up. Is this machine online?' },
  ENETUNREACH: { text: 'no network leads there. Is this machine online?' },
  EHOSTUNREACH: { text: 'no way leads there.' },
  ETIMEDOUT: { text: 'it does not answer.' },
  ECONNRESET: { text: 'the connection broke off.' },
  EPIPE: { text: 'the connection broke off.' },
  EPROTO: { text: 'it does not speak TLS. Does its address begin with http://?', isPermanent: true },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    text: 'it does not speak TLS. Does its address begin with http://?',
    isPermanent: true,
  },
  CERT_HAS_EXPIRED: { text: 'its certificate has expired.', isPermanent: true },
  CERT_NOT_YET_VALID: { text: 'its certificate is not valid yet. Is the clock right?', isPermanent: true },
  ERR_TLS_CERT_ALTNAME_INVALID: { text: 'its certificate is for another name.', isPermanent: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: { text: `its certificate is signed by itself. ${OWN_AUTHORITY}`, isPermanent: true },
  SELF_SIGNED_CERT_IN_CHAIN: {
    text: `its certificate is not signed by a known authority. ${OWN_AUTHORITY}`,
    isPermanent: true,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    text: `its certificate is not signed by a known authority. ${OWN_AUTHORITY}`,
    isPermanent: true,
  },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    text: `its certificate is not signed by a known authority. ${OWN_AUTHORITY}`,
    isPermanent: true,
  },
  ERR_PROXY_TUNNEL: { text: 'the proxy refuses to lead there.', isPermanent: true },
  ERR_PROXY_INVALID_CONFIG: { text: 'the address of the proxy is none.', isPermanent: true },
}

const NOT_HTTP: Reason = { text: 'what answers there does not speak HTTP.', isPermanent: true }

export function connectionFailure(target: URL, cause: unknown): ConnectionError {
  if (cause instanceof ConnectionError) return cause
  const code = codeOf(cause)
  const reason = REASONS[code] ?? (code.startsWith('HPE_') ? NOT_HTTP : { text: messageOf(cause) })
  return new ConnectionError(`The gateway at ${target.origin} could not be reached: ${reason.text}`, cause, {
    isPermanent: reason.isPermanent === true,
  })
}

/** Where the address itself has moved: reported and not followed. */
export function redirected(target: URL, location: string): ConnectionError {
  const place = URL.parse(location, target.href)
  const where = place === null ? '' : ` to ${place.origin}${place.pathname}`
  return new ConnectionError(
    `The gateway at ${target.origin} leads on${where}, which is not followed: set the right address with ` +
      '`svc login --base-url` or SVC_BASE_URL.',
    null,
    { isPermanent: true },
  )
}

/** Of several addresses of one name each may fail; the first reason is shown. */
function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return codeOf(cause.errors[0])
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return typeof code === 'string' ? code : ''
}

function messageOf(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause)
}
