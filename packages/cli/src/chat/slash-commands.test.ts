import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createContext } from '../context.ts'
import { keepSeenModels } from '../settings/model-cache.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { completeSlash } from './slash-commands.ts'

test('a line that begins with a slash is completed: commands, and models that chat', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-slash-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const baseUrl = 'http://127.0.0.1:1/api'
  const streams = { input: new PassThrough(), out: new PassThrough(), notes: new PassThrough() }
  const terminal = createTerminal(streams, { XDG_CONFIG_HOME: folder, SVC_BASE_URL: baseUrl }, new AbortController())
  const context = createContext(terminal, {})
  const ids = [['svc-gpt', 'text'] as const, ['svc-glm', 'text'] as const, ['svc-image', 'image'] as const]
  const models = ids.map(([id, type]) => ({ id, type }))
  keepSeenModels(context.settingsFolder, baseUrl, { seenAt: 1, askedAt: 1, models })
  expect(await completeSlash(context, '/s')).toEqual(['/system ', '/save '])
  expect(await completeSlash(context, '/co')).toEqual(['/cost'])
  expect(await completeSlash(context, '/model svc-')).toEqual(['/model svc-gpt', '/model svc-glm'])
  expect(await completeSlash(context, 'What is /s')).toEqual([])
})
