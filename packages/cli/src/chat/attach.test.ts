import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachFile, userMessage } from './attach.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-attach-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

test.each([
  ['a.txt', '\u0089PNG\r\n', 'image_url'],
  ['b.txt', '%PDF-1.7\n', 'file'],
  ['c.txt', 'RIFF\u0000\u0000\u0000\u0000WAVEfmt ', 'input_audio'],
  ['d.txt', 'ID3\u0004', 'input_audio'],
  ['e.pdf', 'a text', 'text'],
])('%s is what its content says, whatever its name is', async (name, content, type) => {
  expect(await attachFile(fileOf(name, bytes(content)))).toMatchObject({ type })
})

test('a document has its name and its bytes, a recording its form', async () => {
  expect(await attachFile(fileOf('paper.pdf', '%PDF-1.7'))).toEqual({
    type: 'file',
    file: { filename: 'paper.pdf', file_data: `data:application/pdf;base64,${btoa('%PDF-1.7')}` },
  })
  expect(await attachFile(fileOf('talk', bytes('fLaC....')))).toEqual({
    type: 'input_audio',
    input_audio: { data: btoa('fLaC....'), format: 'flac' },
  })
})

test('a text cannot end the fence that it stands in', async () => {
  const part = await attachFile(fileOf('notes.md', 'Before\n````\ncode\n````\n'))
  expect(part['text']).toBe('notes.md:\n`````\nBefore\n````\ncode\n````\n`````')
})

test('what is none of these is refused', async () => {
  await expect(attachFile(fileOf('x', Buffer.from([0, 1, 255])))).rejects.toThrow('is no image, PDF, recording or text')
  await expect(attachFile(path.join(folder, 'missing'))).rejects.toThrow('cannot be read')
})

test('with texts alone a message is a plain text, which every model reads', () => {
  const notes = { type: 'text', text: 'notes' }
  const image = { type: 'image_url', image_url: { url: 'data:' } }
  expect(userMessage('Ask', [])).toEqual({ role: 'user', content: 'Ask' })
  expect(userMessage('Ask', [notes])).toEqual({ role: 'user', content: 'Ask\n\nnotes' })
  expect(userMessage('Ask', [notes, image])).toEqual({
    role: 'user',
    content: [{ type: 'text', text: 'Ask' }, notes, image],
  })
})
