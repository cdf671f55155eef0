import type { FastifyInstance } from 'fastify'
import type { TranscribeDeps } from '../inference/transcription-work.ts'
import type { FormRoutesDeps } from './form-routes-deps.ts'
import type { ImageRoutesDeps } from './image-routes-deps.ts'
import type { MirrorRoutesDeps } from './routes-deps.ts'
import type { PageRoutesDeps } from './page-routes-deps.ts'
import type { SpeechRoutesDeps } from './speech-routes-deps.ts'
import type { TranscriptionRoutesDeps } from './transcription-routes-deps.ts'
import type { VideoRoutesDeps } from './video-routes-deps.ts'
import { deposits } from './routes/deposits.ts'
import { depositsAddress } from './routes/deposits-address.ts'
import { depositsClaim } from './routes/deposits-claim.ts'
import { depositsDepositId } from './routes/deposits-deposit-id.ts'
import { depositsWallets } from './routes/deposits-wallets.ts'
import { depositsWalletsChallenge } from './routes/deposits-wallets-challenge.ts'
import { depositsWalletsWalletId } from './routes/deposits-wallets-wallet-id.ts'
import { health } from './routes/health.ts'
import { keysMirror } from './routes/keys-mirror.ts'
import { notifyDeposit } from './routes/notify-deposit.ts'
import { openapi } from './routes/openapi.ts'
import { v1AudioSpeech } from './routes/v1-audio-speech.ts'
import { v1AudioTranscriptions } from './routes/v1-audio-transcriptions.ts'
import { v1AudioTranslations } from './routes/v1-audio-translations.ts'
import { v1Balance } from './routes/v1-balance.ts'
import { v1ChatCompletions } from './routes/v1-chat-completions.ts'
import { v1Embeddings } from './routes/v1-embeddings.ts'
import { v1Images } from './routes/v1-images.ts'
import { v1ImagesEdits } from './routes/v1-images-edits.ts'
import { v1ImagesGenerations } from './routes/v1-images-generations.ts'
import { v1ImagesModels } from './routes/v1-images-models.ts'
import { v1MediaName } from './routes/v1-media-name.ts'
import { v1Messages } from './routes/v1-messages.ts'
import { v1MessagesCountTokens } from './routes/v1-messages-count-tokens.ts'
import { v1Models } from './routes/v1-models.ts'
import { v1ModelsId } from './routes/v1-models-id.ts'
import { v1Responses } from './routes/v1-responses.ts'
import { v1Usage } from './routes/v1-usage.ts'
import { v1UsageRequestId } from './routes/v1-usage-request-id.ts'
import { v1VideosGenerations } from './routes/v1-videos-generations.ts'
import { v1VideosJobIdContent } from './routes/v1-videos-job-id-content.ts'
import { v1VideosJobId } from './routes/v1-videos-job-id.ts'
import { v1VideosModels } from './routes/v1-videos-models.ts'
import { v1Videos } from './routes/v1-videos.ts'

/** What all routes are given, for the composition alone. */
export interface EdgeDeps
  extends
    FormRoutesDeps,
    ImageRoutesDeps,
    SpeechRoutesDeps,
    TranscriptionRoutesDeps,
    VideoRoutesDeps,
    MirrorRoutesDeps,
    PageRoutesDeps {
  readonly audio: TranscribeDeps
}

/** Mounts the routes of one address. */
export type MountRoute = (app: FastifyInstance, deps: EdgeDeps) => void

const models: readonly MountRoute[] = [v1Models, v1ModelsId]
const chat: readonly MountRoute[] = [v1ChatCompletions, v1Responses, v1Messages, v1MessagesCountTokens]
const embeddings: readonly MountRoute[] = [v1Embeddings]
const videos: readonly MountRoute[] = [
  v1VideosModels,
  v1VideosGenerations,
  v1Videos,
  v1VideosJobId,
  v1VideosJobIdContent,
]
const audio: readonly MountRoute[] = [v1AudioSpeech, v1AudioTranscriptions, v1AudioTranslations]
const images: readonly MountRoute[] = [v1ImagesModels, v1ImagesGenerations, v1ImagesEdits, v1Images]
const account: readonly MountRoute[] = [v1Balance, v1Usage, v1UsageRequestId]
const funding: readonly MountRoute[] = [depositsClaim, depositsAddress, deposits, depositsDepositId, notifyDeposit]
const wallets: readonly MountRoute[] = [depositsWalletsChallenge, depositsWallets, depositsWalletsWalletId]
const keys: readonly MountRoute[] = [keysMirror]
const media: readonly MountRoute[] = [v1MediaName]
const service: readonly MountRoute[] = [health, openapi]

/** Every route of the API, in the order of the contract. */
export const routes: readonly MountRoute[] = [
  ...models,
  ...chat,
  ...embeddings,
  ...images,
  ...videos,
  ...audio,
  ...account,
  ...funding,
  ...wallets,
  ...keys,
  ...media,
  ...service,
]
