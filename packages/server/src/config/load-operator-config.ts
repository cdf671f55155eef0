import type { Config, UpstreamConfig } from './config.ts'
import { commandFolderOf, isSandboxAlone } from './data-folder.ts'
import { findKeptSecret } from './kept-secret.ts'
import { type ConfigSource, givenPeppers, keptPepper, logKeyFileOf, readSettings } from './load-config.ts'
import type { DepositsConfig } from './deposits-config.ts'
import { whyReachable } from './reach.ts'
import { resolveDeposits } from './resolve-deposits.ts'
import { resolvePrices } from './resolve-prices.ts'
import { resolveProxy } from './resolve-proxy.ts'
import { resolveUpstreams } from './resolve-upstreams.ts'

/** What the operator commands need to know: the books, and the models that a key may name. */
export interface OperatorConfig extends Pick<
  Config,
  | 'databaseUrl'
  | 'databaseWaitMs'
  | 'dataDir'
  | 'isProduction'
  | 'limits'
  | 'limitsOfFile'
  | 'routes'
  | 'prices'
  | 'mediaPrices'
  | 'catalogPrefix'
  | 'proxy'
> {
  /** Possibly without their keys and addresses. */
  readonly upstreams: readonly UpstreamConfig[]
  /** Null where none is given and the gateway has kept none: then no key can be made. */
  readonly peppers: Config['peppers'] | null
  /** Null where none is given and the gateway has kept none: then no email address can be suppressed. */
  readonly sessionSecret: string | null
  /** Where the key of the ledger log is. */
  readonly logKeyFile: string
  /** Null where deposits are off. */
  readonly deposits: DepositsConfig | null
}

/**
 * Reads the configuration for the operator commands, and makes nothing: neither a folder nor a secret, which would be
 * other ones than the gateway's. They call no upstream and listen nowhere, so nothing is asked for that only those need.
 *
 * @throws {ConfigError} with every problem at once.
 */
export function loadOperatorConfig(source: ConfigSource): OperatorConfig {
  const { environment, file, limitsOfFile, env } = readSettings(source)
  const { upstreams } = resolveUpstreams(environment, file, env)
  const { routes, prices, mediaPrices } = resolvePrices(environment, file, upstreams)
  const isUpstreamNamed = environment.SVC_UPSTREAM !== undefined || file.upstreams.length > 0
  const dataDir = commandFolderOf(environment, upstreams, { workingDir: source.workingDir, isUpstreamNamed })
  const isProduction = whyReachable(environment) !== null
  // In production the gateway takes no secret from its folder.
  const findSecret = (name: string): string | null => (isProduction ? null : findKeptSecret(dataDir, name))
  const pepper = findSecret('key-pepper')
  return {
    databaseUrl: environment.SVC_DATABASE_URL ?? null,
    databaseWaitMs: environment.SVC_DATABASE_WAIT_SECONDS * 1_000,
    ...{ dataDir, isProduction, upstreams },
    logKeyFile: logKeyFileOf(environment, { dataDir, workingDir: source.workingDir }),
    ...{ limits: file.limits, limitsOfFile },
    deposits: resolveDeposits(environment, file, { isProduction, isSandbox: isSandboxAlone(upstreams) }).deposits,
    routes,
    prices,
    mediaPrices,
    catalogPrefix: environment.SVC_CATALOG_PREFIX ?? null,
    proxy: resolveProxy(environment, source.env).proxy,
    peppers: givenPeppers(environment) ?? (pepper === null ? null : keptPepper(pepper)),
    sessionSecret: environment.SVC_SESSION_SECRET ?? findSecret('session-secret'),
  }
}
