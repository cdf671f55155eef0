/** What the values of environment variables must look like: each is parsed, or refused with what to give instead. */
import { trimEndOf } from '@svc/contract'
import { isIP } from 'node:net'
import { z } from 'zod'
import { parseMailSender } from './mail-entry.ts'
import { parseProxy } from './parse-proxy.ts'

/** Characters of a secret at least: 128 bits as hex. */
const SECRET_LENGTH_MIN = 32

export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'give a port number from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'give a port number from 0 to 65535')

export const httpUrl = z
  .string()
  .refine(isPlainHttpUrl, 'give an http or https address without user, password, query or fragment')
  .transform((text) => trimEndOf(text, '/'))

/** What browsers send as `origin` and what paths are put behind. */
export const publicOrigin = z
  .string()
  .refine(
    (text) => isPlainHttpUrl(text) && URL.parse(text)?.pathname === '/',
    'give scheme, host and port alone, such as https://ai.example.com: paths such as /api/v1 and /console follow it',
  )
  .transform((text) => new URL(text).origin)

const HOST_NAME = /^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?$/

export const host = z
  .string()
  .max(253)
  .refine(
    (text) => isIP(text) !== 0 || HOST_NAME.test(text),
    'give a host name or an IP address alone, without scheme, port or brackets',
  )

export const secret = z
  .string()
  .min(SECRET_LENGTH_MIN, `give at least ${SECRET_LENGTH_MIN} characters; "openssl rand -hex 32" makes a good one`)

export const plainKey = z.string().regex(/^[\x21-\x7e]+$/, 'give the key alone, without spaces or quotes')

export interface SecretPepper {
  readonly version: number
  readonly secret: string
}

const NUMBERED_PEPPERS = /^\d{1,4}:[^,:]+(,\d{1,4}:[^,:]+)?$/

export const peppers = z.string().transform((text, context): readonly SecretPepper[] => {
  const parts = NUMBERED_PEPPERS.test(text) ? text.split(',').map((part) => part.split(':')) : [['1', text]]
  const found = parts.map(([version, value]) => ({ version: Number(version), secret: value ?? '' }))
  for (const { secret: value } of found) {
    const issue = secret.safeParse(value).error?.issues[0]
    if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message })
  }
  if (new Set(found.map((pepper) => pepper.version)).size < found.length) {
    context.addIssue({ code: 'custom', message: 'give the two of them different version numbers' })
  }
  return found
})

const PROXY_GROUPS: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

export const proxies = z.string().transform((text, context): readonly string[] => {
  const entries = text.split(',').map((entry) => entry.trim())
  const wrong = entries.find((entry) => !PROXY_GROUPS.includes(entry) && !isAddressOrRange(entry))
  if (wrong === undefined) return entries
  context.addIssue({
    code: 'custom',
    message: `give addresses, ranges such as 10.0.0.0/8, or ${PROXY_GROUPS.join(', ')}, separated by commas`,
  })
  return z.NEVER
})

/** Extended keys of every network have 111 characters. A private one never belongs here. Source: BIP-32. */
export const xpub = z
  .string()
  .refine((text) => !text.startsWith('xprv'), 'this is a private key; give the public one, which begins with xpub')
  .regex(/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/, 'give an extended public key, which begins with xpub')

const RPC_URLS_MAX = 4

export const rpcUrls = z.string().transform((text, context): readonly string[] => {
  const urls = text.split(',').map((part) => part.trim())
  const isRight = urls.length <= RPC_URLS_MAX && new Set(urls).size === urls.length && urls.every(isRpcUrl)
  if (isRight) return urls
  context.addIssue({
    code: 'custom',
    message: `give up to ${RPC_URLS_MAX} different http or https addresses, separated by commas`,
  })
  return z.NEVER
})

export const outboundProxy = z.string().transform((text, context): string => {
  if (text === 'off') return text
  const proxy = parseProxy(text)
  if (proxy !== null) return proxy
  context.addIssue({ code: 'custom', message: 'give an address such as http://proxy.example.com:3128, or off' })
  return z.NEVER
})

export const mailSender = z.string().transform((text, context) => {
  const sender = parseMailSender(text)
  if (sender !== null) return sender
  context.addIssue({
    code: 'custom',
    message: 'give an address such as no-reply@example.com, or a name and the address as in SVC <no-reply@example.com>',
  })
  return z.NEVER
})

/** An hour: an operator who waits longer wants a supervisor that starts the gateway anew. */
const WAIT_SECONDS_MAX = 3_600

export const waitSeconds = z
  .string()
  .regex(/^\d{1,4}$/, 'give whole seconds, such as 60; 0 does not wait')
  .transform(Number)
  .refine((seconds) => seconds <= WAIT_SECONDS_MAX, `give at most ${WAIT_SECONDS_MAX} seconds`)

function isPlainHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}

/** A provider's address may carry its key in the path or the query. */
function isRpcUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.hash === ''
}

export function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol)
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}
