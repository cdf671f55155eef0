import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Conversation } from './conversation.ts'
import { CONVERSATIONS_MAX, openConversations } from './conversation-store.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-history-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const HOME = 'https://home.example/api'

function idOf(number: number): string {
  return `20261130-160000-${number.toString(16).padStart(4, '0')}`
}

function conversation(number: number, baseUrl = HOME): Conversation {
  const messages = [{ role: 'user' as const, content: `Question ${number}` }]
  return { id: idOf(number), baseUrl, model: 'svc-gpt', createdAt: 1, updatedAt: 2, messages, tools: [] }
}

function filesIn(profile: string): string {
  return path.join(folder, 'conversations', `profile-${profile}`)
}

test('a conversation is read as it was written, of its own profile alone', () => {
  expect(openConversations(folder, 'home').keep(conversation(1))).toBeNull()
  expect(openConversations(folder, 'home').find(idOf(1))).toEqual(conversation(1))
  expect(openConversations(folder, 'work').find(idOf(1))).toBeNull()
  expect(openConversations(folder, 'work').list()).toEqual([])
})

test.skipIf(process.platform === 'win32')('only its owner can read it', () => {
  openConversations(folder, 'home').keep(conversation(1))
  expect(statSync(filesIn('home')).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(filesIn('home'), `${idOf(1)}.json`)).mode & 0o777).toBe(0o600)
  expect(readdirSync(filesIn('home'))).toEqual([`${idOf(1)}.json`])
})

test('the last one is that of the same gateway, by its last change', () => {
  const store = openConversations(folder, 'home')
  for (const [number, baseUrl, at] of [
    [1, HOME, 30],
    [2, HOME, 10],
    [3, 'https://other.example/api', 40],
  ] as const) {
    store.keep(conversation(number, baseUrl))
    utimesSync(path.join(filesIn('home'), `${idOf(number)}.json`), at, at)
  }
  expect(store.findLatest(HOME)?.id).toBe(idOf(1))
  expect(store.findLatest('https://none.example/api')).toBeNull()
  expect(store.list().map(({ id }) => id)).toEqual([idOf(3), idOf(1), idOf(2)])
})

test('the oldest go where there are too many', () => {
  const store = openConversations(folder, 'home')
  for (let number = 0; number <= CONVERSATIONS_MAX; number += 1) {
    store.keep(conversation(number))
    const file = path.join(filesIn('home'), `${idOf(number)}.json`)
    utimesSync(file, 1_000 + number, 1_000 + number)
  }
  store.keep(conversation(CONVERSATIONS_MAX))
  expect(store.list()).toHaveLength(CONVERSATIONS_MAX)
  expect(store.find(idOf(0))).toBeNull()
})

test('what is no conversation is left out, and no name leads out of the folder', () => {
  const store = openConversations(folder, '../..')
  store.keep(conversation(1))
  expect(readdirSync(folder)).toEqual(['conversations'])
  expect(readdirSync(path.join(folder, 'conversations'))).toEqual(['profile-..%2F..'])
  writeFileSync(path.join(filesIn('..%2F..'), `${idOf(2)}.json`), '{"id":"x"}')
  expect(store.list().map(({ id }) => id)).toEqual([idOf(1)])
  expect(store.find('../../profiles')).toBeNull()
  expect(store.remove(['../../profiles', idOf(1)])).toBe(1)
})

test('a conversation that is too large, or a folder that cannot be written, is told and fails nothing', () => {
  const large = { ...conversation(1), messages: [{ role: 'user' as const, content: 'x'.repeat(21 * 1024 * 1024) }] }
  expect(openConversations(folder, 'home').keep(large)).toContain('too large')
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  expect(openConversations(file, 'home').keep(conversation(1))).toContain('cannot be written')
})
