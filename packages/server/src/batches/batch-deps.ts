import type { BatchState, Nanocredits } from '@svc/contract'
import type { KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import type { BegunRequest, Idempotency, RequestOutcome } from '../admission/idempotency/idempotency.ts'
import type { RouteKit } from '../edge/route-kit.ts'
import type { VersionedSecret } from '../platform/files/sealed-bytes.ts'
import type { BelievedClock } from '../platform/runtime/believed-clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import type { LineOutcome } from '../telemetry/metrics/batch-metrics.ts'
import type { UploadDeps } from '../uploads/upload-deps.ts'
import type { AnswerLineDeps } from './answer-line.ts'
import type { BatchLineStore } from './batch-line-store.ts'
import type { BatchStore } from './batch-store.ts'

/** What the use cases of this room are given. */
export interface BatchDeps {
  readonly store: BatchStore
  readonly uploads: UploadDeps
  readonly clock: BelievedClock
  /** Lets one batch alone begin under a name, and one request alone be charged for a line. */
  readonly names: Idempotency
  /** How much of the rate card a batch is charged that is made now. */
  readonly cardPercent: number
}

/** What work on batches is given beside. */
export interface BatchWorkDeps extends BatchDeps, AnswerLineDeps {
  readonly lines: BatchLineStore
  readonly authenticator: Pick<KeyAuthenticator, 'authenticateId'>
  readonly noteKeyUse: (keyId: string) => void
  /** Takes down what became of a line. */
  readonly onLine: (outcome: LineOutcome) => void
  /** Takes down that this process has ended a batch. */
  readonly onEnded: (state: BatchState) => void
  /** What the books say of a request of a line. */
  readonly outcomeOf: (request: BegunRequest) => Promise<RequestOutcome>
  /** What the books say that a request was charged; null where they have no record of it. */
  readonly chargeOf: (request: Pick<BegunRequest, 'callerId' | 'requestId'>) => Promise<Nanocredits | null>
  /** This process's name in the leases. */
  readonly processId: string
  /** The first seals results; each opens. */
  readonly secrets: readonly [VersionedSecret, ...VersionedSecret[]]
  readonly log: Logger
}

export interface BatchRoutesDeps extends RouteKit {
  readonly batches: BatchDeps
}
