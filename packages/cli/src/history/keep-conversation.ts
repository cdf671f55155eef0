import { randomBytes } from 'node:crypto'
import type { Question } from '../chat/ask.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readProfiles } from '../settings/profile-file.ts'
import type { Settings } from '../settings/settings.ts'
import type { Conversation } from './conversation.ts'
import { openConversations } from './conversation-store.ts'

export interface HistoryOptions {
  /** Goes on with the last conversation. */
  readonly continue?: boolean | undefined
  /** Goes on with this one. */
  readonly conversation?: string | undefined
  /** Undefined where the user did not say: then a conversation is kept where a person is there. */
  readonly history?: boolean | undefined
}

/** Writes a conversation down as it is now. */
export type Keep = (question: Question) => Promise<void>

/**
 * The conversation to go on with.
 *
 * @returns null when a new one is meant.
 * @throws {CommandError} when there is none, or another gateway has answered it.
 */
export function findConversation(context: Context, settings: Settings, options: HistoryOptions): Conversation | null {
  const { continue: goesOn = false, conversation: id } = options
  if (id === undefined && !goesOn) return null
  const store = openConversations(context.settingsFolder, settings.profile)
  const found = id === undefined ? store.findLatest(settings.baseUrl) : store.find(id)
  if (found === null) {
    throw new CommandError(
      id === undefined ? 'There is no conversation to go on with.' : `There is no conversation ${id}.`,
      {
        advice: '`svc history` lists those of this profile.',
        exitCode: exitCodes.wrongUsage,
      },
    )
  }
  if (found.baseUrl === settings.baseUrl) return found
  throw new CommandError(`The conversation ${found.id} belongs to ${found.baseUrl}.`, {
    advice: `It is not sent to ${settings.baseUrl}. Name its gateway with --base-url or --profile.`,
    exitCode: exitCodes.wrongUsage,
  })
}

/** @param known the conversation that goes on; null for a new one. */
export function conversationKeeper(
  context: Context,
  settings: Settings,
  { known, options }: { readonly known: Conversation | null; readonly options: HistoryOptions },
): Keep {
  const { terminal } = context
  const isWanted = options.history ?? (known !== null || terminal.out.isTerminal || terminal.notes.isTerminal)
  if (!isWanted || !keepsHistory(context)) return () => Promise.resolve()
  const store = openConversations(context.settingsFolder, settings.profile)
  const createdAt = known?.createdAt ?? Date.now()
  const id = known?.id ?? newId(createdAt)
  let isTold = false
  return async ({ model, messages, tools }) => {
    const { baseUrl } = settings
    const problem = store.keep({ id, baseUrl, model, createdAt, updatedAt: Date.now(), messages, tools })
    if (problem === null || isTold || context.options.quiet === true) return
    isTold = true
    await terminal.notes.line(problem)
  }
}

/** Whether this machine keeps what is asked: `svc history off` ends that. */
export function keepsHistory(context: Context): boolean {
  return readProfiles(context.settingsFolder).keepsHistory
}

/** "20261130-162005-3fa2": the time in UTC, and what tells two of one second apart. */
function newId(at: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').split('T')
  return `${day}-${time}-${randomBytes(2).toString('hex')}`
}
