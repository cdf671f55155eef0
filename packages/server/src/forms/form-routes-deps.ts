import type { StoredResponses } from '../admission/idempotency/stored-responses.ts'
import type { KeptItems } from '../admission/idempotency/kept-items.ts'
import type { ChatRoutesDeps } from '../modalities/chat/chat-routes-deps.ts'

/** Forms of a chat whose next turn refers to what was said. */
export interface FormRoutesDeps extends ChatRoutesDeps {
  readonly keptItems: KeptItems
  readonly storedResponses: StoredResponses
}
