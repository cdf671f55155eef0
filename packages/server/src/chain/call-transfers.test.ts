import { expect, test } from 'vitest'
import type { Hex } from './assets.ts'
import { readCallTransfers } from './call-transfers.ts'

const A: Hex = `0x${'aa'.repeat(20)}`
const B: Hex = `0x${'bb'.repeat(20)}`

function frame(type: string, value: bigint, calls: readonly unknown[] = [], error?: string): object {
  return { type, from: A, to: B, value: `0x${value.toString(16)}`, calls, ...(error === undefined ? {} : { error }) }
}

test('a call inside a failed call moved nothing, however deep it is', () => {
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
  const found = readCallTransfers(root)?.map(({ ordinal, amount }) => [ordinal, amount])
  expect(found?.toSorted()).toEqual([
    ['trace:0', 1n],
    ['trace:1.0', 2n],
    ['trace:1.1', 3n],
  ])
})

test('money that an address sends to itself is no payment', () => {
  expect(readCallTransfers(frame('CALL', 0n, [{ type: 'CALL', from: A, to: A, value: '0x7' }]))).toEqual([])
})

test('calls within calls are read however deep they are, and a malformed one is not believed', () => {
  const deep = (innermost: object): object => {
    let root = innermost
    for (let depth = 0; depth < 5_000; depth++) root = frame('CALL', 0n, [root])
    return root
  }
  expect(readCallTransfers(frame('CALL', 1n, [frame('CALL', 3n), deep(frame('CALL', 5n))]))?.length).toBe(1)
  expect(readCallTransfers(deep({ type: 7 }))).toBeNull()
})

test('a payment that is nested deeper than a name of the ledger is long is left to the balance of its address', () => {
  const nested = (depth: number): object => frame('CALL', 1n, depth === 0 ? [] : [nested(depth - 1)])
  const found = readCallTransfers(nested(500)) ?? []
  expect(found.length).toBe(97)
  expect(Math.max(...found.map(({ ordinal }) => ordinal.length))).toBeLessThanOrEqual(200)
})
