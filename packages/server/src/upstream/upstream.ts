import type { ChatUpstream } from './chat-upstream.ts'
import type { ImageUpstream } from './image-upstream.ts'

/**
 * One configured upstream: chat, its model list and its costs, and a port for each other modality that it serves; null
 * for one that it does not.
 */
export interface Upstream extends ChatUpstream {
  readonly images: ImageUpstream | null
}

/** What `GET /health` tells apart. Source: spec 4. */
export type Modality = 'text' | 'image' | 'video' | 'audio'
