/**
 * What the routes of each feature are given. The edge parses, calls a use case and renders; it knows no ledger, no
 * upstream and no database.
 */
import type { HealthReply } from '@svc/contract'
import type { ReadStatementDeps } from '../billing/read-statement.ts'
import type { ReadUsageDeps } from '../billing/read-usage.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ClaimDepositDeps } from '../deposits/claim-deposit.ts'
import type { DepositPlacesDeps } from '../deposits/deposit-places.ts'
import type { ManageWalletsDeps } from '../deposits/manage-wallets.ts'
import type { ReadTeamDepositsDeps } from '../deposits/read-team-deposits.ts'
import type { SendReceiptDeps } from '../deposits/send-receipt.ts'
import type { MediaFiles } from '../files/media-files.ts'
import type { UrlSigner } from '../files/url-signer.ts'
import type { KeptItems } from '../idempotency/kept-items.ts'
import type { ImageDeps } from '../inference/image-work.ts'
import type { StreamChatDeps } from '../inference/stream-chat.ts'
import type { TranscribeDeps } from '../inference/transcription-work.ts'
import type { MirrorKeyDeps } from '../keys/mirror-key.ts'
import type { OperatorDesk } from '../operating/operator-desk.ts'
import type { VideoDeps } from '../videos/video-deps.ts'
import type { ConsoleDeps } from './console/console-deps.ts'
import type { RouteKit } from './route-kit.ts'

/** Chats in every form, and embeddings. */
export interface ChatRoutesDeps extends RouteKit {
  readonly chat: StreamChatDeps
}

/** Forms of a chat whose next turn refers to what was said. */
export interface FormRoutesDeps extends ChatRoutesDeps {
  readonly keptItems: KeptItems
}

export interface ImageRoutesDeps extends RouteKit {
  readonly images: ImageDeps
}

/** Speech and transcription. */
export interface AudioRoutesDeps extends RouteKit {
  readonly audio: TranscribeDeps
}

export interface VideoRoutesDeps extends RouteKit {
  readonly videos: VideoDeps
  readonly media: EdgeMedia
}

/** Files that clients download at signed addresses. */
export interface MediaRoutesDeps extends RouteKit {
  readonly media: EdgeMedia
}

export interface ModelRoutesDeps extends RouteKit {
  readonly catalog: Catalog
}

export interface UsageRoutesDeps extends RouteKit {
  readonly usage: ReadUsageDeps
}

export interface DepositRoutesDeps extends RouteKit {
  readonly deposits: EdgeDeposits
}

export interface MirrorRoutesDeps extends RouteKit {
  readonly mirrors: MirrorKeyDeps
}

export interface HealthRoutesDeps extends RouteKit {
  readonly readHealth: () => Promise<HealthReply>
}

/** The pages of the console: they show all that a team and an operator may see. */
export interface PageRoutesDeps extends ModelRoutesDeps, UsageRoutesDeps, DepositRoutesDeps, HealthRoutesDeps {
  readonly console: ConsoleDeps
  readonly statements: ReadStatementDeps
  /** What the operator's pages are given. */
  readonly operators: OperatorDesk
  /** Folder of the console's built pages. */
  readonly consoleFolder: string
}

/** All of them: for the composition, and for nobody else. */
export interface EdgeDeps
  extends FormRoutesDeps, ImageRoutesDeps, AudioRoutesDeps, VideoRoutesDeps, MirrorRoutesDeps, PageRoutesDeps {}

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
