import type { ChainId, Hex } from '../chain/assets.ts'
import type { DepositXpub } from '../chain/deposit-xpub.ts'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'
import type { DepositAddress, DepositAddressStore } from './deposit-address-store.ts'

export interface GiveAddressDeps {
  readonly addresses: DepositAddressStore
  readonly clock: Clock
}

/** As many processes may want the next index at once; each attempt gives it to one of them. */
const ATTEMPTS_MAX = 50

/**
 * The address to which an account's deposits go on a chain; made when it is asked for the first time, the same ever
 * after.
 *
 * What the database has is derived again and compared before it is shown: a row that was tampered with must not lead
 * money elsewhere.
 *
 * @throws {InvariantError} when the two differ.
 */
export async function giveDepositAddress(
  { addresses, clock }: GiveAddressDeps,
  { chainId, xpub }: { readonly chainId: ChainId; readonly xpub: DepositXpub },
  accountId: string,
): Promise<Hex> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const known = await addresses.find(accountId, xpub.id)
    if (known !== null) return verified(known, xpub)
    const derivationIndex = await addresses.findNextIndex(xpub.id)
    const now = clock.now()
    const address = { addressId: createId(now), accountId, chainId, xpubId: xpub.id, derivationIndex, createdAt: now }
    await addresses.insert({ ...address, address: xpub.deriveAddress(derivationIndex) })
  }
  throw new InvariantError('no index could be taken for a deposit address')
}

function verified(known: DepositAddress, xpub: DepositXpub): Hex {
  if (xpub.deriveAddress(known.derivationIndex) === known.address) return known.address
  throw new InvariantError(`deposit address ${known.addressId} is not what its key gives`)
}
