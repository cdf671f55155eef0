import type { StreamChatDeps } from './stream-chat.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

/** Chats in every form, and embeddings. */
export interface ChatRoutesDeps extends RouteKit {
  readonly chat: StreamChatDeps
}
