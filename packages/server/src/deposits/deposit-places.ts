import { decimalJson, type DepositAddressReply, type Printed } from '@svc/contract'
import { ASSET_DECIMALS, type Asset, type ChainId, type Hex, TESTNET_CHAIN_ID } from '../chain/assets.ts'

/** Where an account pays on one chain. */
export interface DepositPlace {
  readonly chainId: ChainId
  readonly chainName: string
  /** With the checksum of ERC-55. */
  readonly address: Hex
  /** The contract of the token, with its checksum; null where USDG is not taken. */
  readonly token: Hex | null
  readonly assets: readonly Asset[]
}

export interface DepositPlacesDeps {
  readonly mode: DepositAddressReply['mode']
  readonly minimumUsd: string
  /** Whether the chains run on the gateway's own machine, so that all of them take test money only. */
  readonly isLocal: boolean
  /** The places of an account, each derived and compared anew. Empty where deposits are off. */
  readonly offeringsOf: (accountId: string) => Promise<readonly DepositPlace[]>
}

/** Tells an account where to pay. */
export async function showDepositPlaces(
  { mode, minimumUsd, isLocal, offeringsOf }: DepositPlacesDeps,
  accountId: string,
): Promise<Printed<DepositAddressReply>> {
  const places = await offeringsOf(accountId)
  return {
    object: 'deposit_address',
    mode,
    minimum_usd: decimalJson(minimumUsd),
    chains: places.map((place) => ({
      chainId: place.chainId,
      name: place.chainName,
      testnet: isLocal || place.chainId === TESTNET_CHAIN_ID,
      local: isLocal,
      address: place.address,
      assets: place.assets.map((asset) => ({
        asset,
        decimals: ASSET_DECIMALS[asset],
        token: asset === 'USDG' ? place.token : null,
        uri: paymentUri(place, asset),
      })),
    })),
  }
}

/** A payment request that wallets read from a link or a QR code. Source: ERC-681. */
function paymentUri({ chainId, address, token }: DepositPlace, asset: Asset): string {
  if (asset === 'ETH' || token === null) return `ethereum:${address}@${chainId}`
  return `ethereum:${token}@${chainId}/transfer?address=${address}`
}
