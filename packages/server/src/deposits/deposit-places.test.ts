import { expect, test } from 'vitest'
import { type DepositPlace, showDepositPlaces } from './deposit-places.ts'

const place = (chainId: DepositPlace['chainId']): DepositPlace => ({
  ...{ chainId, chainName: 'a chain', address: `0x${'11'.repeat(20)}`, token: null, assets: ['ETH'] },
})

test.each([
  ['real chains', false, [false, true]],
  ['the chains of the sandbox', true, [true, true]],
])('of %s, those that take test money only are marked', async (_what, isLocal, marks) => {
  const offeringsOf = async (): Promise<readonly DepositPlace[]> => [place(4663), place(46630)]
  const shown = await showDepositPlaces({ mode: 'address', minimumUsd: '1', isLocal, offeringsOf }, 'account')
  expect(shown.chains.map(({ testnet }) => testnet)).toEqual(marks)
  expect(shown.chains.map(({ local }) => local)).toEqual([isLocal, isLocal])
})
