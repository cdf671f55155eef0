import type { ChatMessage, Nanocredits } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import type { Context } from '../context.ts'
import type { Keep } from '../history/keep-conversation.ts'
import type { Question } from './ask.ts'

/** What a conversation is now. Commands change it. */
export interface SessionState {
  question: Question
  /** Attached to the next question. */
  attached: readonly Exclude<ChatMessage['content'], string | null | undefined>[number][]
  spent: Nanocredits
  /** What the user asked last, to ask it again; null before the first question. */
  last: ChatMessage | null
}

/** A conversation, and what its commands can do. */
export interface Session {
  readonly context: Context
  readonly api: ApiConnection
  readonly state: SessionState
  readonly note: (text: string) => Promise<void>
  readonly keep: Keep
  /** Asks a question and keeps it and its answer in the conversation. */
  readonly ask: (message: ChatMessage) => Promise<void>
}
