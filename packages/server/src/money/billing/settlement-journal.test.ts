import { expect, test } from 'vitest'
import { writeAll } from './settlement-journal.ts'

test('a disk that takes a part at a time gets all of it, each part behind the one before', async () => {
  const file = Buffer.alloc(20, '.')
  const write = (bytes: Buffer, from: number, length: number, at: number) => {
    const taken = Math.min(3, length)
    bytes.copy(file, at, from, from + taken)
    return Promise.resolve({ bytesWritten: taken, buffer: bytes })
  }
  await writeAll({ write } as unknown as Parameters<typeof writeAll>[0], Buffer.from('0123456789'), 5)
  expect(file.toString()).toBe('.....0123456789.....')
})
