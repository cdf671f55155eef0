import { closeChatStores } from './chat/chat-store.ts'
import { removeAllKept } from './kept-things.ts'
import { dropAllKeys } from './pay/play-client.ts'
import { closeRunStores } from './run-store.ts'

/** Takes everything that the playground holds out of this browser: the person signs out. */
export async function leavePlayground(): Promise<void> {
  closeChatStores()
  closeRunStores()
  dropAllKeys()
  await removeAllKept()
}
