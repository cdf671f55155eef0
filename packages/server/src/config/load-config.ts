import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config, UpstreamConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { CONFIG_FILE, parseConfigFile, type FileSettings, type LimitsOfFile } from './config-file.ts'
import { dataFolderOf, isSandboxAlone, LOG_KEY_FILE } from './data-folder.ts'
import { parseEnvironment, secretNames, type Environment } from './environment.ts'
import { prepareDataDir, readKeptSecret } from './kept-secret.ts'
import { resolveDeposits } from './resolve-deposits.ts'
import { mediaProblems, resolveMedia } from './resolve-media.ts'
import { resolveMail } from './resolve-mail.ts'
import { resolvePrices } from './resolve-prices.ts'
import { resolveProxy } from './resolve-proxy.ts'
import { resolveTracing } from './resolve-tracing.ts'
import { resolveUpstreams } from './resolve-upstreams.ts'
import { readSecretFiles } from './secret-files.ts'
import { isLoopback, whyReachable } from './reach.ts'

export interface ConfigSource {
  /** As the process got it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the configuration file is looked for, and what a relative data folder is relative to. */
  readonly workingDir: string
  /** Where standard output goes; `other` when absent. On a terminal the log is quieter unless a level is set. */
  readonly output?: 'terminal' | 'other'
}

/** The environment and the file, each in itself without a fault. */
export interface Settings {
  readonly environment: Environment
  readonly file: FileSettings
  readonly limitsOfFile: LimitsOfFile
  /** The variables as they were given, with the secrets of files in place. */
  readonly env: ConfigSource['env']
  readonly notices: readonly string[]
}

export interface LoadedConfig {
  readonly config: Config
  /** What was ignored or looks unwise: one sentence each, for the log at start. */
  readonly notices: readonly string[]
}

/**
 * Reads the environment and the configuration file into one frozen object and checks the whole. Where only this machine
 * can reach the gateway, it makes the secrets that are missing; elsewhere it asks for them.
 *
 * @throws {ConfigError} with every problem at once.
 */
export function loadConfig(source: ConfigSource): LoadedConfig {
  const { environment, file, limitsOfFile, env, notices } = readSettings(source)
  const reason = whyReachable(environment)
  const isProduction = reason !== null
  const { upstreams, problems: upstreamProblems } = resolveUpstreams(environment, file, env)
  const { problems: priceProblems, ...prices } = resolvePrices(environment, file, upstreams)
  const [firstUpstream, ...otherUpstreams] = upstreams
  const dataDir = dataFolderOf(environment, upstreams, source.workingDir)
  const secretProblems = reason === null ? [] : missingSecrets(environment, reason, dataDir)
  const { mail, problems: mailProblems } = resolveMail(environment, { dataDir, isProduction })
  const { deposits, ...depositFindings } = resolveDeposits(environment, file, {
    isProduction,
    isSandbox: isSandboxAlone(upstreams),
  })
  const { proxy, problems: proxyProblems } = resolveProxy(environment, source.env)
  const settingProblems = [
    ...adminProblems(environment),
    ...mediaProblems(environment),
    ...mailProblems,
    ...proxyProblems,
  ]
  const found = [
    ...upstreamProblems,
    ...priceProblems,
    ...secretProblems,
    ...settingProblems,
    ...depositFindings.problems,
  ]
  if (found.length > 0 || firstUpstream === undefined) throw new ConfigError(found)

  const { tracing, notices: tracingNotices } = resolveTracing(source.env)
  prepareDataDir(dataDir)
  const sessionSecret = environment.SVC_SESSION_SECRET ?? readKeptSecret(dataDir, 'session-secret')
  const config: Config = {
    host: environment.SVC_HOST,
    port: environment.SVC_PORT,
    admin: adminOf(environment),
    tracing,
    isProduction,
    publicUrl: environment.SVC_PUBLIC_URL ?? null,
    dataDir,
    databaseUrl: environment.SVC_DATABASE_URL ?? null,
    databaseWaitMs: environment.SVC_DATABASE_WAIT_SECONDS * 1_000,
    upstreams: [firstUpstream, ...otherUpstreams],
    ...prices,
    catalogPrefix: environment.SVC_CATALOG_PREFIX ?? null,
    rateCardUnit: environment.SVC_RATE_CARD_UNIT,
    peppers: givenPeppers(environment) ?? keptPepper(readKeptSecret(dataDir, 'key-pepper')),
    sessionSecret,
    signup: environment.SVC_SIGNUP,
    media: resolveMedia(environment, sessionSecret),
    ledgerLog: {
      keyFile: logKeyFileOf(environment, { dataDir, workingDir: source.workingDir }),
      isPublished: environment.SVC_PUBLISH_LOG,
    },
    trustedProxies: environment.SVC_TRUSTED_PROXIES ?? [],
    proxy,
    mail,
    searchPath: source.env['PATH'] ?? '',
    logLevel: environment.SVC_LOG_LEVEL ?? (source.output === 'terminal' ? 'warn' : 'info'),
    limits: file.limits,
    limitsOfFile,
    batches: file.batches,
    archive: file.archive,
    deposits,
  }
  return {
    config: freezeDeep(config),
    notices: [...notices, ...tracingNotices, ...depositFindings.notices, ...noticesOf(config)],
  }
}

/**
 * Reads the environment with its secrets from files, and the file, and nothing else that either refers to.
 *
 * @throws {ConfigError} with every problem at once.
 */
export function readSettings(source: ConfigSource): Settings {
  const parsed = parseConfigFile(readConfigFile(source.workingDir))
  const keyNames = parsed.kind === 'wrong' ? [] : keyNamesOf(parsed.file)
  const secrets = readSecretFiles(source.env, [...secretNames, ...keyNames], source.workingDir)
  const { environment, problems, notices } = parseEnvironment(secrets.env, keyNames)
  const found = [...secrets.problems, ...problems]
  if (parsed.kind === 'wrong') throw new ConfigError([...parsed.problems, ...found])
  if (environment === null || found.length > 0) throw new ConfigError(found)
  const { file, limitsOfFile } = parsed
  return { environment, file, limitsOfFile, env: secrets.env, notices }
}

/** The variables that hold keys of upstreams. */
function keyNamesOf({ upstreams }: FileSettings): readonly string[] {
  return upstreams.flatMap(({ apiKeyEnv, activityKeyEnv }) => [
    ...apiKeyEnv,
    ...(activityKeyEnv === null ? [] : [activityKeyEnv]),
  ])
}

function readConfigFile(workingDir: string): string | null {
  try {
    return readFileSync(join(workingDir, CONFIG_FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new ConfigError([
      `${CONFIG_FILE} cannot be read: ${error instanceof Error ? error.message : 'unknown error'}.`,
    ])
  }
}

/** Where the key of the ledger log is: in the data folder, unless the environment says otherwise. */
export function logKeyFileOf(
  { SVC_LOG_KEY_FILE: named }: Pick<Environment, 'SVC_LOG_KEY_FILE'>,
  { dataDir, workingDir }: { readonly dataDir: string; readonly workingDir: string },
): string {
  return named === undefined ? join(dataDir, LOG_KEY_FILE) : resolve(workingDir, named)
}

function missingSecrets(environment: Environment, reason: string, dataDir: string): readonly string[] {
  const secrets = [
    { name: 'SVC_KEY_PEPPER', file: 'key-pepper', loss: 'with another value no key works any more' },
    { name: 'SVC_SESSION_SECRET', file: 'session-secret', loss: 'another value ends every session' },
  ] as const
  const problems = secrets
    .filter(({ name }) => environment[name] === undefined)
    .map(({ name, file, loss }) => {
      const kept = join(dataDir, file)
      const advice = existsSync(kept)
        ? `Set it to the content of ${kept}, which an earlier start made: ${loss}.`
        : 'Make one with "openssl rand -hex 32" and keep it as long as the database.'
      return `${name} is missing: ${reason}. ${advice}`
    })
  if (environment.SVC_PUBLIC_URL !== undefined) return problems
  return [
    ...problems,
    `SVC_PUBLIC_URL is missing: ${reason}. Give the origin that clients use, such as https://ai.example.com.`,
  ]
}

function adminOf(environment: Environment): Config['admin'] {
  const { SVC_ADMIN_HOST: host, SVC_ADMIN_PORT: port } = environment
  return port === undefined ? null : { host, port }
}

function adminProblems({ SVC_PORT: port, SVC_ADMIN_PORT: adminPort }: Environment): readonly string[] {
  if (adminPort === undefined || adminPort === 0 || adminPort !== port) return []
  return ['SVC_ADMIN_PORT is the port of the API. Choose another: metrics are not for clients.']
}

/**
 * The peppers of the environment; null for none. The current one is that with the highest version, whatever the order in
 * which they are written.
 */
export function givenPeppers(environment: Environment): Config['peppers'] | null {
  const given = (environment.SVC_KEY_PEPPER ?? []).toSorted((left, right) => right.version - left.version)
  const [current, ...older] = given
  return current === undefined ? null : [current, ...older]
}

/** The pepper that a data folder holds. It has the version of one that is given without a number. */
export function keptPepper(secret: string): Config['peppers'] {
  return [{ version: 1, secret }]
}

function noticesOf(config: Config): readonly string[] {
  const notices: string[] = []
  if (config.admin !== null && !isLoopback(config.admin.host)) {
    notices.push('The admin port answers every client that can reach it: keep SVC_ADMIN_HOST inside a private network.')
  }
  if (!config.isProduction) return notices
  if (isLoopback(config.host) && config.trustedProxies.length === 0) {
    notices.push(
      'Clients come through a proxy on this machine, so they all seem to have its address and share its limits. ' +
        'Set SVC_TRUSTED_PROXIES=loopback.',
    )
  }
  if (config.publicUrl?.startsWith('http:') === true) {
    notices.push('SVC_PUBLIC_URL is not https: keys cross the network in clear text.')
  }
  if (config.databaseUrl !== null && config.media.s3 === null) {
    notices.push(
      'Files that are made are kept in the data folder: gateways that share the database do not find those of each ' +
        'other. Set SVC_S3_BUCKET if there are several.',
    )
  }
  if (config.upstreams.some(isSandbox)) {
    notices.push('The sandbox answers requests on a public address. Set SVC_UPSTREAM to serve real models.')
  }
  return notices
}

function isSandbox(upstream: UpstreamConfig): boolean {
  return upstream.kind === 'sandbox'
}

/** Freezes an object and all objects and arrays in it. Maps keep their methods; their type has none that writes. */
function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeep(part)
  return value
}
