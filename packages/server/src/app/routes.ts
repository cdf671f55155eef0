import type { FastifyInstance } from 'fastify'
import type { TranscribeDeps } from '../modalities/transcription/transcription-work.ts'
import type { BatchRoutesDeps } from '../batches/batch-deps.ts'
import type { FormRoutesDeps } from '../forms/form-routes-deps.ts'
import type { ImageRoutesDeps } from '../modalities/images/image-routes-deps.ts'
import type { LogRoutesDeps } from '../edge/log-routes.ts'
import { logCheckpoint } from '../edge/routes/log-checkpoint.ts'
import { logKey } from '../edge/routes/log-key.ts'
import { logTileId } from '../edge/routes/log-tile-id.ts'
import { v1ReceiptsReceiptId } from '../edge/routes/v1-receipts-receipt-id.ts'
import type { DeviceRoutesDeps, KeyRoutesDeps, MirrorRoutesDeps } from '../edge/routes-deps.ts'
import type { PageRoutesDeps } from '../console/page-routes-deps.ts'
import type { QuoteRoutesDeps } from '../quotes/quotes-deps.ts'
import type { SpeechRoutesDeps } from '../modalities/speech/speech-routes-deps.ts'
import type { TranscriptionRoutesDeps } from '../modalities/transcription/transcription-routes-deps.ts'
import type { UploadRoutesDeps } from '../uploads/upload-deps.ts'
import type { VideoRoutesDeps } from '../modalities/videos/video-routes-deps.ts'
import { deposits } from '../deposits/routes/deposits.ts'
import { depositsAddress } from '../deposits/routes/deposits-address.ts'
import { depositsClaim } from '../deposits/routes/deposits-claim.ts'
import { depositsDepositId } from '../deposits/routes/deposits-deposit-id.ts'
import { depositsWallets } from '../deposits/routes/deposits-wallets.ts'
import { depositsWalletsChallenge } from '../deposits/routes/deposits-wallets-challenge.ts'
import { depositsWalletsWalletId } from '../deposits/routes/deposits-wallets-wallet-id.ts'
import { health } from '../edge/routes/health.ts'
import { keysMirror } from '../edge/routes/keys-mirror.ts'
import { notifyDeposit } from '../deposits/routes/notify-deposit.ts'
import { openapi } from '../edge/routes/openapi.ts'
import { v1AudioSpeech } from '../modalities/speech/routes/v1-audio-speech.ts'
import { v1AudioTranscriptions } from '../modalities/transcription/routes/v1-audio-transcriptions.ts'
import { v1AudioTranslations } from '../modalities/transcription/routes/v1-audio-translations.ts'
import { v1Balance } from '../edge/routes/v1-balance.ts'
import { v1Batches } from '../batches/routes/v1-batches.ts'
import { v1BatchesBatchId } from '../batches/routes/v1-batches-batch-id.ts'
import { v1BatchesBatchIdCancel } from '../batches/routes/v1-batches-batch-id-cancel.ts'
import { v1ChatCompletions } from '../modalities/chat/routes/v1-chat-completions.ts'
import { v1Credits } from '../edge/routes/v1-credits.ts'
import { v1Completions } from '../forms/routes/v1-completions.ts'
import { v1Embeddings } from '../modalities/embeddings/routes/v1-embeddings.ts'
import { v1Generation } from '../edge/routes/v1-generation.ts'
import { v1Files } from '../uploads/routes/v1-files.ts'
import { v1FilesFileId } from '../uploads/routes/v1-files-file-id.ts'
import { v1FilesFileIdContent } from '../uploads/routes/v1-files-file-id-content.ts'
import { v1Images } from '../modalities/images/routes/v1-images.ts'
import { v1ImagesEdits } from '../modalities/images/routes/v1-images-edits.ts'
import { v1ImagesGenerations } from '../modalities/images/routes/v1-images-generations.ts'
import { v1ImagesModels } from '../modalities/images/routes/v1-images-models.ts'
import { v1Key } from '../edge/routes/v1-key.ts'
import { v1DeviceCode } from '../edge/routes/v1-device-code.ts'
import { v1DeviceToken } from '../edge/routes/v1-device-token.ts'
import { v1KeysKeyId } from '../edge/routes/v1-keys-key-id.ts'
import { v1Keys } from '../edge/routes/v1-keys.ts'
import { v1MediaName } from '../edge/routes/v1-media-name.ts'
import { v1Messages } from '../forms/routes/v1-messages.ts'
import { v1MessagesBatches } from '../batches/routes/v1-messages-batches.ts'
import { v1MessagesBatchesMessageBatchId } from '../batches/routes/v1-messages-batches-message-batch-id.ts'
import { v1MessagesBatchesMessageBatchIdCancel } from '../batches/routes/v1-messages-batches-message-batch-id-cancel.ts'
import { v1MessagesBatchesMessageBatchIdResults } from '../batches/routes/v1-messages-batches-message-batch-id-results.ts'
import { v1MessagesCountTokens } from '../forms/routes/v1-messages-count-tokens.ts'
import { v1Moderations } from '../modalities/moderations/routes/v1-moderations.ts'
import { v1Models } from '../edge/routes/v1-models.ts'
import { v1ModelsId } from '../edge/routes/v1-models-id.ts'
import { v1Quotes } from '../quotes/routes/v1-quotes.ts'
import { v1Rerank } from '../modalities/rerank/routes/v1-rerank.ts'
import { v1Responses } from '../forms/routes/v1-responses.ts'
import { v1ResponsesInputTokens } from '../forms/routes/v1-responses-input-tokens.ts'
import { v1ResponsesResponseId } from '../forms/routes/v1-responses-response-id.ts'
import { v1ResponsesResponseIdInputItems } from '../forms/routes/v1-responses-response-id-input-items.ts'
import { v1Usage } from '../edge/routes/v1-usage.ts'
import { v1UsageRequestId } from '../edge/routes/v1-usage-request-id.ts'
import { v1VideosGenerations } from '../modalities/videos/routes/v1-videos-generations.ts'
import { v1VideosJobIdContent } from '../modalities/videos/routes/v1-videos-job-id-content.ts'
import { v1VideosJobId } from '../modalities/videos/routes/v1-videos-job-id.ts'
import { v1VideosModels } from '../modalities/videos/routes/v1-videos-models.ts'
import { v1Videos } from '../modalities/videos/routes/v1-videos.ts'
import { v2Rerank } from '../modalities/rerank/routes/v2-rerank.ts'

/** What all routes are given, for the composition alone. */
export interface EdgeDeps
  extends
    BatchRoutesDeps,
    FormRoutesDeps,
    ImageRoutesDeps,
    SpeechRoutesDeps,
    TranscriptionRoutesDeps,
    UploadRoutesDeps,
    VideoRoutesDeps,
    MirrorRoutesDeps,
    KeyRoutesDeps,
    DeviceRoutesDeps,
    LogRoutesDeps,
    PageRoutesDeps,
    QuoteRoutesDeps {
  readonly audio: TranscribeDeps
}

/** Mounts the routes of one address. */
export type MountRoute = (app: FastifyInstance, deps: EdgeDeps) => void

const models: readonly MountRoute[] = [v1Models, v1ModelsId]
const chat: readonly MountRoute[] = [
  ...[v1ChatCompletions, v1Completions, v1Responses, v1ResponsesInputTokens],
  ...[v1ResponsesResponseId, v1ResponsesResponseIdInputItems],
  ...[v1Messages, v1MessagesCountTokens],
]
const embeddings: readonly MountRoute[] = [v1Embeddings]
const rerank: readonly MountRoute[] = [v1Rerank, v2Rerank]
const moderations: readonly MountRoute[] = [v1Moderations]
const videos: readonly MountRoute[] = [
  v1VideosModels,
  v1VideosGenerations,
  v1Videos,
  v1VideosJobId,
  v1VideosJobIdContent,
]
const audio: readonly MountRoute[] = [v1AudioSpeech, v1AudioTranscriptions, v1AudioTranslations]
const images: readonly MountRoute[] = [v1ImagesModels, v1ImagesGenerations, v1ImagesEdits, v1Images]
const quotes: readonly MountRoute[] = [v1Quotes]
const account: readonly MountRoute[] = [v1Balance, v1Usage, v1UsageRequestId, v1Key, v1Credits, v1Generation]
const log: readonly MountRoute[] = [v1ReceiptsReceiptId, logCheckpoint, logTileId, logKey]
const funding: readonly MountRoute[] = [depositsClaim, depositsAddress, deposits, depositsDepositId, notifyDeposit]
const wallets: readonly MountRoute[] = [depositsWalletsChallenge, depositsWallets, depositsWalletsWalletId]
const keys: readonly MountRoute[] = [v1Keys, v1KeysKeyId, keysMirror, v1DeviceCode, v1DeviceToken]
const batches: readonly MountRoute[] = [
  v1Batches,
  v1BatchesBatchId,
  v1BatchesBatchIdCancel,
  v1MessagesBatches,
  v1MessagesBatchesMessageBatchId,
  v1MessagesBatchesMessageBatchIdResults,
  v1MessagesBatchesMessageBatchIdCancel,
]
const media: readonly MountRoute[] = [v1Files, v1FilesFileId, v1FilesFileIdContent, v1MediaName]
const service: readonly MountRoute[] = [health, openapi]

/** Every route of the API, in the order of the contract. */
export const routes: readonly MountRoute[] = [
  ...models,
  ...chat,
  ...embeddings,
  ...rerank,
  ...moderations,
  ...images,
  ...videos,
  ...audio,
  ...quotes,
  ...account,
  ...log,
  ...funding,
  ...wallets,
  ...keys,
  ...batches,
  ...media,
  ...service,
]
