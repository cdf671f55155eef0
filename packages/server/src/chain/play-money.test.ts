import { expect, test } from 'vitest'
import { chainText, playMoneyText } from './play-money.ts'

test('coins of the test network are play money, and of every chain on the gateway’s own machine', () => {
  expect([playMoneyText(4663, false), playMoneyText(46630, false)]).toEqual([null, 'test network'])
  expect([playMoneyText(4663, true), playMoneyText(46630, true)]).toEqual(Array(2).fill('local chain, play money'))
  expect(chainText(4663, false)).toBe('Robinhood Chain')
  expect(chainText(46630, false)).toBe('Robinhood Chain Testnet (test network)')
  expect(chainText(4663, true)).toBe('Robinhood Chain (local chain, play money)')
})
