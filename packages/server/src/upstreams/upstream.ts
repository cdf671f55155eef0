import type { ChatUpstream } from './chat-upstream.ts'
import type { EmbeddingUpstream } from './embedding-upstream.ts'
import type { ImageUpstream } from './image-upstream.ts'
import type { RerankUpstream } from './rerank-upstream.ts'
import type { ModerationUpstream } from './moderation-upstream.ts'
import type { SpeechUpstream } from './speech-upstream.ts'
import type { TranscriptionUpstream } from './transcription-upstream.ts'
import type { VideoUpstream } from './video-upstream.ts'

/**
 * One configured upstream: chat, its model list and its costs, and a port for each other modality that it serves; null
 * for one that it does not.
 */
export interface Upstream extends ChatUpstream {
  /**
   * Adds to the upstream's list of models what it says of media elsewhere. Many calls, so not for asking whether it is
   * there.
   * @param list from `listModels`.
   */
  completeList(list: unknown): Promise<unknown>
  readonly embeddings: EmbeddingUpstream | null
  readonly rerank: RerankUpstream | null
  readonly moderation: ModerationUpstream | null
  readonly images: ImageUpstream | null
  readonly videos: VideoUpstream | null
  readonly speech: SpeechUpstream | null
  readonly transcription: TranscriptionUpstream | null
}

/** The ports of an upstream that chats alone: what it has besides is named over them. */
export const NO_PORTS = {
  embeddings: null,
  rerank: null,
  moderation: null,
  images: null,
  videos: null,
  speech: null,
  transcription: null,
} as const

/** What `GET /health` tells apart. Source: spec 4. */
export type HealthGroup = 'text' | 'image' | 'video' | 'audio'
