/** What every route is given: who asks, how often they may, and how they are answered once. */
import type { ReadBalanceDeps } from '../money/billing/read-balance.ts'
import type { Idempotency } from '../admission/idempotency/idempotency.ts'
import type { KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import type { WaitingBound } from '../admission/overload/waiting-bound.ts'
import type { CallLimit } from '../admission/limits/call-quota.ts'
import type { RateLimit } from '../admission/limits/rate-limit.ts'
import type { RateLimiter } from '../admission/limits/rate-limiter.ts'
import type { StreamLimit } from '../admission/limits/stream-slots.ts'
import type { HttpMetrics } from '../telemetry/metrics/http-metrics.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import type { Spool } from '../platform/spool/spool.ts'
import type { Tracing } from '../telemetry/tracing/tracing.ts'
import type { QuoteSeal } from '../pipeline/sealed-quote.ts'
import type { BodyBudget } from './read-body.ts'

export interface RouteKit {
  readonly clock: SystemClock
  readonly log: Logger
  /** Null where nothing is counted. */
  readonly metrics: HttpMetrics | null
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null
  readonly authenticator: KeyAuthenticator
  /** Notes that a key was used. Cheap: written later, in batches. */
  readonly noteKeyUse: (keyId: string) => void
  /** Where a person adds credits. A port that the system chose is known once the gateway listens. */
  readonly consoleUrl: () => string
  /** Origin and `/api`, as clients reach them; known as `consoleUrl` is. */
  readonly publicBaseUrl: () => string
  readonly idempotency: Idempotency
  readonly balance: ReadBalanceDeps
  /** Room for the files that come with requests. */
  readonly spool: Spool
  readonly limits: EdgeLimits
  /** Refuses new paid requests while they would wait too long. */
  readonly overload: Pick<WaitingBound, 'problem'>
  readonly quotes: QuoteSeal
}

export interface EdgeLimits {
  readonly perKey: RateLimit
  readonly perAccount: RateLimit
  /** Requests without a key, and whatever else is answered without one. */
  readonly perAddress: RateLimiter
  /** Questions of browsers before a request to another origin: as many as a key has requests. */
  readonly preflights: RateLimiter
  readonly failedAuth: RateLimiter
  /** Terminals that ask to be signed in. */
  readonly deviceCodes: RateLimiter
  readonly claims: CallLimit
  /** Keys that a key mirrors or makes. */
  readonly mirrors: CallLimit
  /** Messages for wallets that a key gets and sends back. */
  readonly wallets: CallLimit
  /** Videos that a key submits. */
  readonly videoSubmissions: RateLimit
  readonly streams: StreamLimit
  readonly bodies: BodyBudget
  /** Requests for images of one key, beside the limit on all of them. */
  readonly images: RateLimit
  /** Numbers that are applied where a request is read or answered: read there, since they may change. */
  readonly configured: {
    /** Size of a JSON request. */
    readonly chatBodyBytes: number
    /** Files of one form with images, all together. */
    readonly imageFormBytes: number
    /** How long a client may send nothing of a form, in milliseconds. */
    readonly uploadStallMs: number
    /** How often a silent stream sends a comment, in milliseconds. */
    readonly keepAliveMs: number
  }
}
