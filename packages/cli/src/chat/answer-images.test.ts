import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { keepImages, imageAddresses } from './answer-images.ts'

const png = `data:image/png;base64,${Buffer.from('\u0089PNG and more', 'latin1').toString('base64')}`

test('addresses are found where models put them, and nothing else is taken for one', () => {
  const images = [{ image_url: { url: png } }, { image_url: null }, 'text', { image_url: { url: 5 } }]
  expect(imageAddresses({ content: 'Here', images })).toEqual([png])
  expect([imageAddresses({}), imageAddresses(undefined), imageAddresses({ images: 'no' })]).toEqual([[], [], []])
})

test('each image of an answer is kept under a name of its own, and its name is printed', async () => {
  const before = process.cwd()
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-images-'))
  const out = new PassThrough()
  const streams = { input: new PassThrough(), out, notes: new PassThrough() }
  const context = { terminal: createTerminal(streams, {}, new AbortController()) } as Context
  process.chdir(folder)
  try {
    await keepImages(context, [png, png, 'https://elsewhere.example/cat.png'], {
      now: new Date(0),
      protocol: null,
    })
  } finally {
    process.chdir(before)
  }
  const names = ['chat-19700101-000000.png', 'chat-19700101-000000-2.png']
  expect(String(out.read())).toBe([...names, 'https://elsewhere.example/cat.png', ''].join('\n'))
  expect(readdirSync(folder).sort()).toEqual([...names].sort())
  rmSync(folder, { recursive: true })
})
