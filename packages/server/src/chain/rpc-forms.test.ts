import { toHex } from 'viem'
import { expect, test } from 'vitest'
import { blockForm } from './rpc-forms.ts'

test('a block of a time that cannot be written is not believed', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const block = (timestamp: number) => ({
    ...{ number: '0x1', hash, parentHash: hash, timestamp: toHex(timestamp), transactions: [] },
  })
  const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000
  expect(blockForm.parse(block(last))?.timestamp).toBe(last)
  expect(blockForm.safeParse(block(last + 1)).success).toBe(false)
})
