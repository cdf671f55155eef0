import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { exactLength } from './exact-length.ts'

const fileOf = (...pieces: string[]): Readable => Readable.from(pieces.map((piece) => Buffer.from(piece)))

test('a file of the promised length passes', async () => {
  expect((await buffer(exactLength(fileOf('ab', 'c'), 3))).toString()).toBe('abc')
  expect((await buffer(exactLength(fileOf(), 0))).toString()).toBe('')
})

test.each([
  ['longer', 'longer', 2],
  ['shorter', 'shorter', 4],
])('a %s one breaks off, and is not read further', async (_what, message, length) => {
  const file = fileOf('ab', 'c')
  await expect(buffer(exactLength(file, length))).rejects.toThrow(message)
  expect(file.destroyed).toBe(true)
})

test('a client that reads no more ends the file, too', async () => {
  const file = fileOf('ab', 'c')
  const sent = exactLength(file, 3)
  sent.on('error', () => undefined).destroy()
  await new Promise((resolve) => file.once('close', resolve))
  expect(file.destroyed).toBe(true)
})
