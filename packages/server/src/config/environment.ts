import { z } from 'zod'
import { closestName } from './closest-name.ts'
import {
  host,
  httpUrl,
  isPostgresUrl,
  mailSender,
  outboundProxy,
  peppers,
  plainKey,
  port,
  proxies,
  publicOrigin,
  rpcUrls,
  secret,
  waitSeconds,
  xpub,
} from './environment-values.ts'
import { pricePair } from './decimal-price.ts'
import { plainProblem } from './plain-problem.ts'
import { isSmtpUrl } from './mail-entry.ts'
import { fileVariableOf } from './secret-files.ts'

/** Marks a variable as one that holds a secret: it may be given as a file, too. */
function secretly<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  return schema.optional().meta({ isSecret: true })
}

/** Every variable that this version reads. `docs/configuration.md` lists the same; a test compares the two. */
export const environmentSchema = z.object({
  SVC_HOST: host.default('localhost'),
  SVC_PORT: port.default(8787),
  SVC_PUBLIC_URL: publicOrigin.optional(),
  SVC_DATA_DIR: z.string().optional(),
  SVC_DATABASE_URL: secretly(
    z
      .string()
      .refine(isPostgresUrl, 'give an address such as postgres://user@host:5432/database; leave it out for SQLite'),
  ),
  SVC_DATABASE_WAIT_SECONDS: waitSeconds.default(60),
  SVC_UPSTREAM: z.enum(['sandbox', 'openrouter', 'openai-compatible', 'anthropic', 'gemini']).optional(),
  SVC_UPSTREAM_URL: httpUrl.optional(),
  SVC_UPSTREAM_API_KEY: secretly(plainKey),
  SVC_CATALOG_PREFIX: z
    .string()
    .regex(/^([a-z0-9][a-z0-9._-]*\/)$/, 'give lower-case letters, digits, dots and hyphens, and a slash at the end')
    .optional(),
  SVC_RATE_CARD_UNIT: z.enum(['per_1m', 'per_1k']).default('per_1m'),
  SVC_DEFAULT_PRICE: pricePair.optional(),
  SVC_DEPOSIT_MODE: z.enum(['address', 'treasury']).default('address'),
  SVC_DEPOSIT_XPUB: xpub.optional(),
  SVC_DEPOSIT_XPUB_TESTNET: xpub.optional(),
  SVC_DEPOSIT_TREASURY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'give an address: 0x and 40 hex digits')
    .transform((text) => text.toLowerCase())
    .optional(),
  SVC_DEPOSIT_MINIMUM_USD: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, 'give an amount in USD, such as 1 or 0.50')
    .default('1'),
  SVC_RPC_URLS_4663: secretly(rpcUrls),
  SVC_RPC_URLS_46630: secretly(rpcUrls),
  SVC_ALLOW_TESTNET: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  SVC_KEY_PEPPER: secretly(peppers),
  SVC_SESSION_SECRET: secretly(secret),
  SVC_SIGNUP: z.enum(['closed', 'invite', 'open']).default('closed'),
  SVC_MEDIA_SECRET: secretly(peppers),
  SVC_S3_BUCKET: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'give the name of a bucket alone')
    .optional(),
  SVC_S3_ENDPOINT: httpUrl.optional(),
  SVC_S3_REGION: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'give a region such as eu-central-1')
    .optional(),
  SVC_S3_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9._-]+\/)+$/, 'give letters, digits, dots, hyphens and slashes, and a slash at the end')
    .optional(),
  SVC_S3_ADDRESSING: z.enum(['path', 'host']).optional(),
  SVC_S3_ACCESS_KEY_ID: secretly(plainKey),
  SVC_S3_SECRET_ACCESS_KEY: secretly(plainKey),
  SVC_TRUSTED_PROXIES: proxies.optional(),
  SVC_OUTBOUND_PROXY: secretly(outboundProxy),
  SVC_NO_PROXY: z.string().optional(),
  SVC_SMTP_URL: secretly(
    z.string().refine(isSmtpUrl, 'give an address such as smtps://user@mail.example.com:465, without path or options'),
  ),
  SVC_MAIL_FROM: mailSender.optional(),
  SVC_LOG_KEY_FILE: z.string().min(1).max(4_096).optional(),
  SVC_PUBLISH_LOG: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  SVC_ADMIN_HOST: host.default('localhost'),
  SVC_ADMIN_PORT: port.optional(),
  SVC_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
})

export type Environment = z.output<typeof environmentSchema>

/** The variables that hold secrets, addresses with a password or a key in them included. */
export const secretNames: readonly string[] = Object.entries(environmentSchema.shape)
  .filter(([, schema]) => schema.meta()?.['isSecret'] === true)
  .map(([name]) => name)

/**
 * Names kept for parts of the product that this version does not have, and what is there instead. Setting one is an
 * error: nothing would obey it.
 */
export const reservedNames: ReadonlyMap<string, string> = new Map([
  ['SVC_REDIS_URL', 'Processes on one PostgreSQL share their limits through it, so that no Redis is needed.'],
])

/** Names that belong to the terminal client and mean nothing here. */
export const clientNames: readonly string[] = ['SVC_API_KEY', 'SVC_BASE_URL']

/** What Kubernetes sets for a Service named `svc`: addresses in a form that none of our variables has. */
const KUBERNETES_NAME = /^SVC_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?)$/
const KUBERNETES_PORT = /^(tcp|udp|sctp):\/\//

export interface ParsedEnvironment {
  /** Null when there are problems. */
  readonly environment: Environment | null
  readonly problems: readonly string[]
  /** What was ignored, and why. */
  readonly notices: readonly string[]
}

/**
 * Reads the `SVC_…` variables. An empty value counts as not set.
 *
 * @param env from outside, unparsed, with the secrets of files in place.
 * @param otherNames further names that something refers to, such as the variable of an upstream's key.
 */
export function parseEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  otherNames: readonly string[],
): ParsedEnvironment {
  const values: Record<string, string> = {}
  const problems: string[] = []
  const notices: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('SVC_') || value === undefined || value.trim() === '') continue
    if (isFromKubernetes(name, value)) notices.push(kubernetesNotice(name))
    else if (name in environmentSchema.shape) values[name] = value.trim()
    else if (!otherNames.includes(name) && !clientNames.includes(name)) problems.push(unknownName(name))
  }
  const parsed = environmentSchema.safeParse(values, { error: plainProblem })
  for (const issue of parsed.error?.issues ?? []) problems.push(`${String(issue.path[0])}: ${issue.message}.`)
  return { environment: problems.length === 0 ? (parsed.data ?? null) : null, problems, notices }
}

function isFromKubernetes(name: string, value: string): boolean {
  return KUBERNETES_NAME.test(name) || (name === 'SVC_PORT' && KUBERNETES_PORT.test(value))
}

function kubernetesNotice(name: string): string {
  return (
    `${name} was ignored: Kubernetes sets it because a Service is named "svc". ` +
    'Set enableServiceLinks: false in the pod to be rid of it.'
  )
}

function unknownName(name: string): string {
  const instead = reservedNames.get(name)
  if (instead !== undefined) {
    return `${name} belongs to a part of the gateway that is not available in this version. ${instead} Remove it.`
  }
  const closest = closestName(name, [...Object.keys(environmentSchema.shape), ...secretNames.map(fileVariableOf)])
  return closest === null
    ? `${name} is not a known variable. Remove it, or see docs/configuration.md for the known ones.`
    : `${name} is not a known variable. Did you mean ${closest}?`
}
