import type { StreamChatDeps } from '../inference/stream-chat.ts'
import type { RouteKit } from './route-kit.ts'

/** Chats in every form, and embeddings. */
export interface ChatRoutesDeps extends RouteKit {
  readonly chat: StreamChatDeps
}
