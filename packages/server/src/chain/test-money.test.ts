import { expect, test } from 'vitest'
import { chainText, testMoneyText } from './test-money.ts'

test('coins of the test network are test money, and of every chain on the gateway’s own machine', () => {
  expect([testMoneyText(4663, false), testMoneyText(46630, false)]).toEqual([null, 'test network'])
  expect([testMoneyText(4663, true), testMoneyText(46630, true)]).toEqual(Array(2).fill('local chain, test money'))
  expect(chainText(4663, false)).toBe('Robinhood Chain')
  expect(chainText(46630, false)).toBe('Robinhood Chain Testnet (test network)')
  expect(chainText(4663, true)).toBe('Robinhood Chain (local chain, test money)')
})
