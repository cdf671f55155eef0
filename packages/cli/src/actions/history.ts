/** `svc history`: the conversations that this machine keeps. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { LINES_FILE } from '../chat/line-reader.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Conversation, conversationMarkdown, conversationTitle } from '../history/conversation.ts'
import { type ConversationStore, openConversations } from '../history/conversation-store.ts'
import { printJson } from '../print-json.ts'
import { readProfiles, writeProfiles } from '../settings/profile-file.ts'
import { printTable } from '../terminal/print-table.ts'
import { timeText } from './usage.ts'

const LIMIT_DEFAULT = 20

export async function listHistory(context: Context, options: { readonly limit?: number | undefined }): Promise<void> {
  const { terminal } = context
  const found = storeOf(context)
    .list()
    .slice(0, options.limit ?? LIMIT_DEFAULT)
  if (context.options.json === true) {
    await printJson(terminal.out, found.map(summaryOf))
    return
  }
  if (found.length === 0) {
    const isKept = readProfiles(context.settingsFolder).keepsHistory
    await terminal.notes.line(isKept ? 'No conversations yet: svc chat' : 'History is off: svc history on')
    return
  }
  await printTable(terminal.out, found, [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'LAST', cell: ({ updatedAt }) => timeText(Math.floor(updatedAt / 1_000)), dropAt: 1 },
    { title: 'QUESTIONS', cell: (each) => String(questionsOf(each)), align: 'right', dropAt: 2 },
    { title: 'MODEL', cell: ({ model }) => model, shrinkTo: 10, keepsEnd: true, dropAt: 3 },
    { title: 'BEGINS', cell: conversationTitle, shrinkTo: 16 },
  ])
}

function summaryOf(conversation: Conversation): object {
  const { id, baseUrl, model, createdAt, updatedAt } = conversation
  return {
    id,
    base_url: baseUrl,
    model,
    created: Math.floor(createdAt / 1_000),
    updated: Math.floor(updatedAt / 1_000),
    questions: questionsOf(conversation),
    begins: conversationTitle(conversation),
  }
}

function questionsOf({ messages }: Conversation): number {
  return messages.filter(({ role }) => role === 'user').length
}

export async function showHistory(context: Context, id: string): Promise<void> {
  const { terminal } = context
  const found = storeOf(context).find(id)
  if (found === null) throw unknown(id)
  if (context.options.json === true) await printJson(terminal.out, { ...summaryOf(found), messages: found.messages })
  else await terminal.out.text(conversationMarkdown(found.messages))
}

/** All or none: a wrong id deletes nothing. */
export async function deleteHistory(context: Context, ids: readonly string[]): Promise<void> {
  const store = storeOf(context)
  const wrong = ids.find((id) => store.find(id) === null)
  if (wrong !== undefined) throw unknown(wrong)
  await tellDeleted(context, store.remove(ids))
}

/** Forgets the conversations of the profile, and the lines that were typed in any. */
export async function clearHistory(context: Context): Promise<void> {
  const store = storeOf(context)
  const count = store.remove(store.list().map(({ id }) => id))
  rmSync(path.join(context.settingsFolder, LINES_FILE), { force: true })
  await tellDeleted(context, count)
}

async function tellDeleted({ terminal, options }: Context, count: number): Promise<void> {
  if (options.json === true) await printJson(terminal.out, { deleted: count })
  else await terminal.notes.line(count === 1 ? '1 conversation deleted.' : `${count} conversations deleted.`)
}

/** For all profiles of this machine. */
export async function switchHistory(context: Context, keepsHistory: boolean): Promise<void> {
  writeProfiles(context.settingsFolder, { ...readProfiles(context.settingsFolder), keepsHistory })
  const kept = keepsHistory
    ? 'Conversations are kept on this machine, readable by you alone.'
    : 'Nothing more is kept. `svc history clear` deletes what there is.'
  await context.terminal.notes.line(kept)
}

function storeOf(context: Context): ConversationStore {
  const name = context.options.profile ?? readProfiles(context.settingsFolder).current
  return openConversations(context.settingsFolder, name)
}

function unknown(id: string): CommandError {
  return new CommandError(`There is no conversation ${id}.`, {
    advice: '`svc history` lists those of this profile.',
    exitCode: exitCodes.wrongUsage,
  })
}
