/**
 * Room `config`: the environment and the configuration file, parsed once into a frozen object. It knows names, forms
 * and defaults, and nothing of what is done with them.
 */
import type { PromptTraining } from '@svc/contract'
import type { MediaPriceEntry } from './media-price-entry.ts'

import type { DepositsConfig } from './deposits-config.ts'

export interface SecretPepper {
  readonly version: number
  readonly secret: string
}

export interface UpstreamConfig {
  /** Names the upstream in routes, records and metrics. */
  readonly name: string
  readonly kind: 'sandbox' | 'openrouter' | 'openai-compatible' | 'anthropic' | 'gemini'
  /** Null takes the kind's own address. */
  readonly url: string | null
  readonly apiKey: string | null
  readonly timeouts: {
    readonly connectMs: number
    readonly firstByteMs: number
    readonly idleMs: number
  }
  readonly allowH2: boolean
  /** Whether its usage carries the cost of each request. */
  readonly reportsCost: boolean
  /** Whether it bills nothing for what it says itself that failed. */
  readonly failuresAreFree: boolean
  /** The one request field that limits the output; null where the operator does not say. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | null
  /** Whether its calls say which trace they belong to, while traces are on. */
  readonly forwardsTrace: boolean
  /** Whether each request asks for providers that do not keep what they are sent; of OpenRouter alone. */
  readonly deniesDataCollection: boolean
  /** Whether it may train on what it is sent; null where the operator does not say. */
  readonly promptTraining: PromptTraining | null
}

/**
 * Upstream prices in USD per million tokens, as exact decimal text; absent parts are priced as what they are a part
 * of.
 */
export interface PriceConfig {
  readonly input: string
  readonly output: string
  readonly cached_input?: string | undefined
  readonly cache_write?: string | undefined
  readonly cache_write_long?: string | undefined
  readonly audio_input?: string | undefined
  readonly audio_output?: string | undefined
  readonly image_output?: string | undefined
  /** USD per request. */
  readonly request?: string | undefined
  /** In rising order. */
  readonly tiers?: readonly PriceTierConfig[] | undefined
}

export interface PriceTierConfig {
  readonly above_input_tokens: number
  readonly input: string
  readonly output: string
  readonly cached_input?: string | undefined
  readonly cache_write?: string | undefined
  readonly cache_write_long?: string | undefined
}

/**
 * What a model that makes or reads media costs upstream: USD per unit as exact decimal text, with what it can do
 * beside it.
 */
export type MediaPriceConfig = MediaPriceEntry

/** One upstream of a route. */
export interface RouteTargetConfig {
  readonly upstream: string
  /** The id that the upstream knows; null keeps the catalog's. */
  readonly model: string | null
  readonly price: PriceConfig | null
  readonly mediaPrice: MediaPriceConfig | null
  /** Its part of the requests; 1 where the targets are asked in order. */
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

/** Bounds of everything. Source: decisions 0012 (limits of a request) and 0015 (rate limits). */
export interface LimitsConfig {
  /** Requests of one key. A burst of a sixth of it may come at once; so for the other rates. */
  readonly requestsPerMinute: number
  /** Open streams of one key. */
  readonly streamsAtOnce: number
  /** Videos that a key submits. */
  readonly videoSubmitsPerMinute: number
  /** Requests without a key, by address. */
  readonly publicPerMinute: number
  /** Requests with a wrong key, by address. */
  readonly failedAuthPerMinute: number
  readonly chatBodyBytes: number
  /** Requests for images of one key. */
  readonly imagesPerMinute: number
  /** Files of one form with images, all together. */
  readonly imageFormBytes: number
  /** Bodies in memory at a time, over all requests. */
  readonly bodyBytesInFlight: number
  /** Files that came with requests, on disk and in memory, over all requests. */
  readonly uploadBytesInFlight: number
  readonly uploadStallMs: number
  /** How long a client may take for its headers, and for the whole of its request. */
  readonly headersMs: number
  readonly requestMs: number
  readonly headerBytes: number
  /** How long a process that has fallen silent keeps its holds. */
  readonly leaseMs: number
  /** How often the progress of open holds is noted. */
  readonly journalMs: number
  /** How long a request waits for limits that processes share before its process applies its part. */
  readonly sharedLimitsMs: number
  /** How long the 200 of a stream waits for the first content. */
  readonly firstContentMs: number
  /** How often a silent stream sends a comment. */
  readonly keepAliveMs: number
  /** Free answers that an account may provoke before it is slowed down. */
  readonly freeAnswers: number
  /** Failures that open the circuit of a model at an upstream, when they are at least half of the last calls. */
  readonly breakerFailures: number
  /** How long an open circuit waits before it tries again; 0 opens none. */
  readonly breakerOpenMs: number
  /** How long a stop waits for open requests. */
  readonly shutdownGraceMs: number
  /** Deposit claims of one key. */
  readonly claimsPerMinute: number
  readonly claimsPerDay: number
  /** Keys that one key may mirror. */
  readonly mirrorsPerMinute: number
  readonly receipts: ReceiptLimits
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

/** How emails leave. */
export type MailConfig = {
  /** Who they say they are from; an empty name for none. */
  readonly sender: { readonly name: string; readonly address: string }
} & (
  | { readonly kind: 'smtp'; readonly server: MailServerConfig }
  /** Into files of a folder instead, for the sandbox and for development. */
  | { readonly kind: 'file'; readonly folder: string }
)

/** Receipts that may be mailed. Source: decision 0031 (the funding receipt). */
export interface ReceiptLimits {
  /** To one recipient, over all accounts. */
  readonly perRecipientAndHour: number
  readonly perRecipientAndDay: number
  /** Asked for by one account. */
  readonly perAccountAndDay: number
  /** Over all accounts and recipients. */
  readonly perHour: number
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
   * Origin by which clients reach the gateway, without a trailing slash. Null where none is
   * set: then it is what the server listens on.
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
  readonly prices: ReadonlyMap<string, PriceConfig>
  /** By upstream model id, for images, videos, speech and transcription. */
  readonly mediaPrices: ReadonlyMap<string, MediaPriceConfig>
  /** For models without a price of their own; null leaves them unlisted. */
  readonly defaultPrice: PriceConfig | null
  /** By upstream model id, or its start with `*` behind it. */
  readonly promptTraining: ReadonlyMap<string, PromptTraining>
  /** Ends in a slash; null takes what is usual for the first upstream's kind. */
  readonly catalogPrefix: string | null
  readonly rateCardUnit: 'per_1m' | 'per_1k'
  readonly peppers: readonly [SecretPepper, ...SecretPepper[]]
  readonly sessionSecret: string
  /** Who may get an account by signing in, until an operator sets something else. */
  readonly signup: 'closed' | 'invite' | 'open'
  readonly media: MediaConfig
  readonly trustedProxies: readonly string[]
  /** Null sends no mail. */
  readonly mail: MailConfig | null
  /** Folders in which programs are looked for, as in `PATH`. */
  readonly searchPath: string
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  readonly limits: LimitsConfig
  /** Null where deposits are off. */
  readonly deposits: DepositsConfig | null
}
