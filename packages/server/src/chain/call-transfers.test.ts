import { expect, test } from 'vitest'
import type { Hex } from './assets.ts'
import { readCallTransfers } from './call-transfers.ts'
import type { CallFrame } from './rpc-forms.ts'

const A: Hex = `0x${'aa'.repeat(20)}`
const B: Hex = `0x${'bb'.repeat(20)}`

function frame(type: string, value: bigint, calls: readonly CallFrame[] = [], error?: string): CallFrame {
  return { type, from: A, to: B, value, calls, ...(error === undefined ? {} : { error }) }
}

test('a call inside a failed call moved nothing, however deep it stands', () => {
  const root = frame('CALL', 0n, [frame('CALL', 0n, [frame('CALL', 0n, [frame('CALL', 5n)])], 'execution reverted')])
  expect(readCallTransfers(root)).toEqual([])
})

test.each(['DELEGATECALL', 'CALLCODE', 'STATICCALL'])('%s shows a value that it does not move', (type) => {
  expect(readCallTransfers(frame('CALL', 9n, [frame(type, 9n)]))).toEqual([])
})

test.each(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])('%s moves its value', (type) => {
  expect(readCallTransfers(frame('CALL', 9n, [frame(type, 4n)]))).toEqual([
    { asset: 'ETH', ordinal: 'trace:0', from: A, to: B, amount: 4n },
  ])
})

test('ordinals name the place in the tree, and the value of the transaction itself is not among them', () => {
  const root = frame('CALL', 9n, [frame('CALL', 1n), frame('CALL', 0n, [frame('CALL', 2n), frame('CALL', 3n)])])
  const found = readCallTransfers(root).map(({ ordinal, amount }) => [ordinal, amount])
  expect(found.toSorted()).toEqual([
    ['trace:0', 1n],
    ['trace:1.0', 2n],
    ['trace:1.1', 3n],
  ])
})

test('money that an address sends to itself is no payment', () => {
  expect(readCallTransfers(frame('CALL', 0n, [{ type: 'CALL', from: A, to: A, value: 7n }]))).toEqual([])
})
