/**
 * Room `config`: the environment and the configuration file, parsed once into a frozen object. It knows names, forms and defaults,
 * and nothing of what is done with them.
 */

export interface SecretPepper {
  readonly version: number
  readonly secret: string
}

export interface UpstreamConfig {
  /** Names the upstream in routes, records and metrics. */
  readonly name: string
  readonly kind: 'sandbox' | 'openrouter' | 'openai-compatible'
  /** Null takes the kind's own address. */
  readonly url: string | null
  readonly apiKey: string | null
  readonly connectTimeoutMs: number
  readonly firstByteTimeoutMs: number
  readonly idleTimeoutMs: number
  readonly allowH2: boolean
  /** Whether its usage carries the cost of each request. */
  readonly reportsCost: boolean
  /** The request field that limits the output. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
}

/** Upstream prices in USD per million tokens, as exact decimal text. */
export interface PriceConfig {
  readonly input: string
  readonly output: string
  readonly cachedInput: string | null
  readonly cacheWrite: string | null
  /** USD per request. */
  readonly request: string | null
  readonly tiers: readonly PriceTierConfig[]
}

export interface PriceTierConfig {
  readonly aboveInputTokens: number
  readonly input: string
  readonly output: string
  readonly cachedInput: string | null
  readonly cacheWrite: string | null
}

/** Where an alias or a model id is served. */
export interface RouteConfig {
  readonly upstream: string
  /** The id that the upstream knows; null keeps the catalog's. */
  readonly model: string | null
  readonly price: PriceConfig | null
}

export interface LimitsConfig {
  readonly requestsPerMinute: number
  readonly streamsAtOnce: number
  readonly publicPerMinute: number
  readonly failedAuthPerMinute: number
  readonly chatBodyBytes: number
  readonly bodyBytes: number
  readonly bodyBytesInFlight: number
  readonly headerBytes: number
  readonly holdMs: number
  readonly leaseMs: number
  readonly journalMs: number
  readonly shutdownGraceMs: number
}

export interface Config {
  readonly host: string
  readonly port: number
  /** Null for none: the metrics and health of operators. */
  readonly adminPort: number | null
  /** Whether the bind is not loopback, which turns the strict checks on. */
  readonly isProduction: boolean
  /** Origin by which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: string
  readonly dataDir: string
  /** Null for embedded storage in the data folder. */
  readonly databaseUrl: string | null
  readonly upstreams: readonly [UpstreamConfig, ...UpstreamConfig[]]
  /** By alias or model id. */
  readonly routes: ReadonlyMap<string, RouteConfig>
  /** By upstream model id. */
  readonly prices: ReadonlyMap<string, PriceConfig>
  /** For models without a price of their own; null leaves them unlisted. */
  readonly defaultPrice: PriceConfig | null
  readonly catalogPrefix: string
  readonly rateCardUnit: 'per_1m' | 'per_1k'
  readonly peppers: readonly [SecretPepper, ...SecretPepper[]]
  readonly sessionSecret: string
  readonly trustedProxies: readonly string[]
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  readonly limits: LimitsConfig
}
