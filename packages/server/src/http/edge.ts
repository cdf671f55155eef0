/**
 * What the routes are given. The edge parses, calls a use case and renders; it knows no ledger, no upstream and no
 * database.
 */
import type { HealthReply } from '@svc/contract'
import type { ReadBalanceDeps } from '../billing/read-balance.ts'
import type { ReadStatementDeps } from '../billing/read-statement.ts'
import type { ReadUsageDeps } from '../billing/read-usage.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { MediaFiles } from '../files/media-files.ts'
import type { UrlSigner } from '../files/url-signer.ts'
import type { TranscribeDeps } from '../inference/transcription-work.ts'
import type { ClaimDepositDeps } from '../deposits/claim-deposit.ts'
import type { DepositPlacesDeps } from '../deposits/deposit-places.ts'
import type { ManageWalletsDeps } from '../deposits/manage-wallets.ts'
import type { ReadTeamDepositsDeps } from '../deposits/read-team-deposits.ts'
import type { SendReceiptDeps } from '../deposits/send-receipt.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { KeptItems } from '../idempotency/kept-items.ts'
import type { ImageDeps } from '../inference/image-work.ts'
import type { StreamChatDeps } from '../inference/stream-chat.ts'
import type { KeyAuthenticator } from '../keys/authenticate-key.ts'
import type { MirrorKeyDeps } from '../keys/mirror-key.ts'
import type { HttpMetrics } from '../metrics/http-metrics.ts'
import type { OperatorDesk } from '../operating/operator-desk.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/log.ts'
import type { Spool } from '../spool/spool.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { ConsoleDeps } from './console/console-deps.ts'
import type { CallLimit } from '../limits/call-quota.ts'
import type { VideoDeps } from '../videos/video-deps.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import type { RateLimiter } from '../limits/rate-limiter.ts'
import type { BodyBudget } from './read-body.ts'
import type { StreamLimit } from '../limits/stream-slots.ts'

export interface EdgeDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Null where nobody counts. */
  readonly metrics: HttpMetrics | null
  /** Null where nobody traces. */
  readonly tracing: Tracing | null
  readonly authenticator: KeyAuthenticator
  /** Notes that a key was used. Cheap: written later, in batches. */
  readonly noteKeyUse: (keyId: string) => void
  /** Where a person adds credits. */
  readonly consoleUrl: string
  readonly chat: StreamChatDeps
  readonly audio: TranscribeDeps
  readonly idempotency: Idempotency
  readonly keptItems: KeptItems
  readonly images: ImageDeps
  readonly balance: ReadBalanceDeps
  readonly usage: ReadUsageDeps
  readonly statements: ReadStatementDeps
  readonly deposits: EdgeDeposits
  readonly mirrors: MirrorKeyDeps
  readonly videos: VideoDeps
  readonly catalog: Catalog
  readonly media: EdgeMedia
  readonly readHealth: () => Promise<HealthReply>
  /** Origin and `/api`, as clients reach them. */
  readonly publicBaseUrl: string
  /** Room for the files that come with requests. */
  readonly spool: Spool
  readonly limits: EdgeLimits
  readonly console: ConsoleDeps
  /** What the operator's pages are given. */
  readonly operators: OperatorDesk
  /** Folder of the console's built pages. */
  readonly consoleFolder: string
}

/** What the endpoints of deposits are given. */
export interface EdgeDeposits {
  readonly claims: ClaimDepositDeps & ReadTeamDepositsDeps
  readonly places: DepositPlacesDeps
  readonly receipts: SendReceiptDeps
  readonly wallets: ManageWalletsDeps
}

/** Files that callers download, and what their addresses are signed with. */
export interface EdgeMedia {
  readonly files: MediaFiles
  readonly signer: UrlSigner
}

export interface EdgeLimits {
  readonly perKey: RateLimit
  readonly perAccount: RateLimit
  /** Requests without a key, and whatever else is answered without one. */
  readonly perAddress: RateLimiter
  /** Questions of browsers before a request to another origin: as many as a key has requests. */
  readonly preflights: RateLimiter
  readonly failedAuth: RateLimiter
  readonly claims: CallLimit
  readonly mirrors: CallLimit
  /** Messages for wallets that a key gets and sends back. */
  readonly wallets: CallLimit
  /** Videos that a key submits. */
  readonly videoSubmissions: RateLimit
  readonly streams: StreamLimit
  readonly bodies: BodyBudget
  readonly chatBodyBytes: number
  /** Requests for pictures of one key, beside the limit on all of them. */
  readonly images: RateLimit
  /** Files of one form with pictures, all together. */
  readonly imageFormBytes: number
  /** How long a client may send nothing of a form, in milliseconds. */
  readonly uploadStallMs: number
  /** How often a silent stream sends a comment, in milliseconds. */
  readonly keepAliveMs: number
}
