import { type ChainId, TESTNET_CHAIN_ID } from './assets.ts'

/**
 * Says that coins of a chain are worth nothing elsewhere, as emails, files and lists say it beside the chain's name.
 *
 * @param isLocal whether the gateway's chains run on its own machine: then all of them are test money, whatever their
 *   ids.
 * @returns null where they are worth something.
 */
export function testMoneyText(chainId: number, isLocal: boolean): string | null {
  if (isLocal) return 'local chain, test money'
  return chainId === TESTNET_CHAIN_ID ? 'test network' : null
}

const CHAIN_NAMES: Readonly<Record<ChainId, string>> = { 4663: 'Robinhood Chain', 46630: 'Robinhood Chain Testnet' }

/** The name of a chain, with what its coins are where they are test money. */
export function chainText(chainId: ChainId, isLocal: boolean): string {
  const mark = testMoneyText(chainId, isLocal)
  return mark === null ? CHAIN_NAMES[chainId] : `${CHAIN_NAMES[chainId]} (${mark})`
}
