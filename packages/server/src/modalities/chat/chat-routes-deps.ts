import type { StreamChatDeps } from './stream-chat.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

/** Chats in every form. */
export interface ChatRoutesDeps extends RouteKit {
  readonly chat: StreamChatDeps
}
