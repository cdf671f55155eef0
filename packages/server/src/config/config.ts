/**
 * Room `config`: the environment and the configuration file, parsed once into a frozen object. It knows names, forms
 * and defaults, and nothing of what is done with them.
 */
import type { PromptTraining } from '@svc/contract'
import type { ArchiveConfig } from './archive-config.ts'
import type { BatchesConfig } from './batches-config.ts'
import type { LimitsOfFile, PriceEntry, TargetEntry, UpstreamEntry } from './config-file.ts'
import type { DepositsConfig } from './deposits-config.ts'
import type { Environment } from './environment.ts'
import type { SecretPepper } from './environment-values.ts'
import type { LimitsConfig } from './limits-config.ts'
import type { MediaPriceEntry } from './media-price-entry.ts'

/** A key of ours with an upstream. */
export interface ApiKeyConfig {
  /** The variable that holds it: what logs and metrics call it. */
  readonly name: string
  readonly secret: string
}

/** One upstream: what the file says of it, and what follows from its kind. A null `url` takes the kind's own. */
export interface UpstreamConfig extends Omit<UpstreamEntry, 'apiKeyEnv' | 'activityKeyEnv' | 'dataCollection'> {
  /** None for a server that wants none. */
  readonly apiKeys: readonly ApiKeyConfig[]
  /** Reads what the upstream says that it has billed; null where it is not asked. */
  readonly activityKey: string | null
  readonly reportsCost: boolean
  readonly failuresAreFree: boolean
  /** Whether each request asks for providers that do not keep what they are sent; of OpenRouter alone. */
  readonly deniesDataCollection: boolean
}

/** One upstream of a route. Where the targets are asked in order, each weighs 1. */
export interface RouteTargetConfig extends TargetEntry {
  readonly weight: number
}

/** Where an alias or a model id is served: its first target, and the others. */
export interface RouteConfig extends RouteTargetConfig {
  readonly others: readonly RouteTargetConfig[]
  /** Whether the first target is drawn by weight, and not always the first of the list. */
  readonly isWeighted: boolean
  /** Whether a request goes on to the next target when one fails without a bill. */
  readonly fallback: boolean
}

/** The mail server that takes emails. */
export interface MailServerConfig {
  readonly host: string
  readonly port: number
  /** Whether the connection begins with TLS; otherwise it is upgraded where the server offers that. */
  readonly isSecure: boolean
  /** Whether a connection that cannot be upgraded is closed. */
  readonly requiresTls: boolean
  /** Null where the server asks for none. */
  readonly login: { readonly user: string; readonly password: string } | null
}

/** Through what other servers are reached. Addresses may hold a user and a password. */
export interface ProxyConfig {
  /** The proxy for `http:` addresses; null connects directly. */
  readonly http: string | null
  /** The proxy for `https:` addresses and for mail servers; null connects directly. */
  readonly https: string | null
  /** Entries of `NO_PROXY`, which are reached directly all the same. */
  readonly exceptions: readonly string[]
}

/** How emails leave. */
export type MailConfig = {
  /** Who they say they are from; an empty name for none. */
  readonly sender: { readonly name: string; readonly address: string }
} & (
  | { readonly kind: 'smtp'; readonly server: MailServerConfig }
  /** Into files of a folder instead, for the sandbox and for development. */
  | { readonly kind: 'file'; readonly folder: string }
)

/** The ledger log. */
export interface LedgerLogConfig {
  /** Where the key is that signs checkpoints. */
  readonly keyFile: string
  /** Whether everybody may read the log, not only keys of the gateway. */
  readonly isPublished: boolean
}

/** Where metrics and probes are served, apart from the API. */
export interface AdminConfig {
  readonly host: string
  readonly port: number
}

/** Where traces go, by the variables of OpenTelemetry. */
export interface TracingConfig {
  readonly exporter: 'otlp' | 'console'
  /** Address of the traces' endpoint; used by `otlp` alone. */
  readonly url: string
  readonly protocol: 'http/protobuf' | 'http/json'
  /** Part of the traces that are kept, from 0 to 1. */
  readonly ratio: number
  /** Whether a caller's own decision goes before the ratio. */
  readonly followsCaller: boolean
}

/** A bucket of an S3-compatible store. */
export interface S3Config {
  readonly bucket: string
  /** Null for Amazon's own. */
  readonly endpoint: string | null
  readonly region: string
  /** What precedes the names of files; ends in a slash. */
  readonly prefix: string
  /** Whether the bucket is in the path of addresses and not in the host name. */
  readonly usesPath: boolean
  /** Null takes what Amazon's tools take. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
}

/** Where files that were made are kept, and what signs their addresses. */
export interface MediaConfig {
  /** The first signs; each is believed. */
  readonly secrets: readonly [string, ...string[]]
  /** Null keeps them in the data folder. */
  readonly s3: S3Config | null
}

export interface Config {
  readonly host: string
  readonly port: number
  /** Null serves neither metrics nor probes. */
  readonly admin: AdminConfig | null
  /** Null makes no traces. */
  readonly tracing: TracingConfig | null
  /** Whether other machines can reach it, which turns the strict checks on; see `whyReachable`. */
  readonly isProduction: boolean
  /**
   * Origin by which clients reach the gateway, without a trailing slash. Null where none is set: then it is what
   * the server listens on.
   */
  readonly publicUrl: string | null
  readonly dataDir: string
  /** Null for embedded storage in the data folder. */
  readonly databaseUrl: string | null
  /** How long a start waits for a PostgreSQL database that is away. */
  readonly databaseWaitMs: number
  readonly upstreams: readonly [UpstreamConfig, ...UpstreamConfig[]]
  /** By alias or model id. */
  readonly routes: ReadonlyMap<string, RouteConfig>
  /** By upstream model id. */
  readonly prices: ReadonlyMap<string, PriceEntry>
  /** By upstream model id, for images, videos, speech and transcription. */
  readonly mediaPrices: ReadonlyMap<string, MediaPriceEntry>
  /** For models without a price of their own; null leaves them unlisted. */
  readonly defaultPrice: PriceEntry | null
  /** By upstream model id, or its start with `*` behind it. */
  readonly promptTraining: ReadonlyMap<string, PromptTraining>
  /** By the name that clients ask for, or its start with `*` behind it; null takes a usual one away. */
  readonly clientNames: ReadonlyMap<string, string | null>
  /** Ends in a slash; null takes what is usual for the first upstream's kind. */
  readonly catalogPrefix: string | null
  readonly rateCardUnit: Environment['SVC_RATE_CARD_UNIT']
  readonly peppers: readonly [SecretPepper, ...SecretPepper[]]
  readonly sessionSecret: string
  /** Who may get an account by signing in, until an operator sets something else. */
  readonly signup: Environment['SVC_SIGNUP']
  readonly media: MediaConfig
  readonly ledgerLog: LedgerLogConfig
  readonly trustedProxies: readonly string[]
  readonly proxy: ProxyConfig
  /** Null sends no mail. */
  readonly mail: MailConfig | null
  /** Folders in which programs are looked for, as in `PATH`. */
  readonly searchPath: string
  readonly logLevel: NonNullable<Environment['SVC_LOG_LEVEL']>
  readonly limits: LimitsConfig
  /** Those of them that the file sets; operators set others while the gateway runs. */
  readonly limitsOfFile: LimitsOfFile
  readonly batches: BatchesConfig
  /** Null archives by command alone. */
  readonly archive: ArchiveConfig | null
  /** Null where deposits are off. */
  readonly deposits: DepositsConfig | null
}
