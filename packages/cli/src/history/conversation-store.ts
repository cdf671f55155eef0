/** Conversations of a profile: a file each, readable by its owner alone, the latest ones only. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ChatMessage } from '@svc/contract'
import type { Conversation } from './conversation.ts'

/** Conversations of a profile that are kept. Source: own choice. */
export const CONVERSATIONS_MAX = 200
/** Bytes of one at most: images and recordings are part of it. Source: what a request can hold. */
const CONVERSATION_BYTES_MAX = 20 * 1024 * 1024
const FILE_NAME = /^(\d{8}-\d{6}-[0-9a-f]{4})\.json$/
const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700

export interface ConversationStore {
  /** Writes it in one step. Returns why it was not, to be told; null when it was. No command fails by it. */
  keep(conversation: Conversation): string | null
  /** Null where there is none, or its file is broken. */
  find(id: string): Conversation | null
  /** The one that this gateway has answered last; null where there is none. */
  findLatest(baseUrl: string): Conversation | null
  /** The latest first. */
  list(): readonly Conversation[]
  /** Returns how many there were. */
  remove(ids: readonly string[]): number
}

/** @param profile its name; any text. */
export function openConversations(settingsFolder: string, profile: string): ConversationStore {
  const folder = path.join(settingsFolder, 'conversations', `profile-${encodeURIComponent(profile)}`)
  const fileOf = (id: string): string => path.join(folder, `${id}.json`)
  const ids = (): readonly string[] => latestFirst(folder)
  const find = (id: string): Conversation | null => (FILE_NAME.test(`${id}.json`) ? readConversation(fileOf(id)) : null)
  return {
    keep: (conversation) => {
      const text = JSON.stringify(conversation)
      if (Buffer.byteLength(text) > CONVERSATION_BYTES_MAX) return 'This conversation is too large to be kept.'
      const draft = `${fileOf(conversation.id)}.${process.pid}.tmp`
      try {
        mkdirSync(folder, { recursive: true, mode: FOLDER_OWNER_ONLY })
        writeFileSync(draft, text, { mode: OWNER_ONLY })
        renameSync(draft, fileOf(conversation.id))
      } catch {
        dropDraft(draft)
        return `This conversation is not kept: ${folder} cannot be written.`
      }
      for (const id of ids().slice(CONVERSATIONS_MAX)) rmSync(fileOf(id), { force: true })
      return null
    },
    find,
    findLatest: (baseUrl) => {
      for (const id of ids()) {
        const found = find(id)
        if (found?.baseUrl === baseUrl) return found
      }
      return null
    },
    list: () => ids().flatMap((id) => find(id) ?? []),
    remove: (gone) => {
      const known = new Set(ids())
      const there = gone.filter((id) => known.has(id))
      for (const id of there) rmSync(fileOf(id), { force: true })
      return there.length
    },
  }
}

/** There may be none, nor the folder that it would be in. */
function dropDraft(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // Nothing of it was written.
  }
}

/** Ids by the time of their last change. */
function latestFirst(folder: string): string[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  const found = names.flatMap((name) => {
    const [, id] = FILE_NAME.exec(name) ?? []
    const changed = statSync(path.join(folder, name), { throwIfNoEntry: false })
    return id === undefined || changed === undefined ? [] : [{ id, at: changed.mtimeMs }]
  })
  return found.toSorted((one, other) => other.at - one.at || other.id.localeCompare(one.id)).map(({ id }) => id)
}

function readConversation(file: string): Conversation | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isConversation(value) ? value : null
  } catch {
    return null
  }
}

function isConversation(value: unknown): value is Conversation {
  const { id, baseUrl, model, createdAt, updatedAt, messages, tools } = Object(value) as Partial<Conversation>
  const areTexts = [id, baseUrl, model].every((text) => typeof text === 'string')
  const areTimes = [createdAt, updatedAt].every((time) => typeof time === 'number')
  return areTexts && areTimes && Array.isArray(messages) && messages.every(isMessage) && Array.isArray(tools)
}

function isMessage(value: unknown): value is ChatMessage {
  const { role } = Object(value) as { readonly role?: unknown }
  return typeof role === 'string'
}
