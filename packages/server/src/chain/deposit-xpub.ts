import { createHash, ECDH } from 'node:crypto'
import type { Hex } from './assets.ts'

/** The public half of a wallet, from which the address of every account follows. No private key is ever here. */
export interface DepositXpub {
  /** Names the key in the database, so that addresses of an earlier key stay known as such. */
  readonly id: string
  /**
   * The address of an index, in lower case. About a millisecond of work.
   *
   * @param index from 0 to 2³¹ − 1.
   */
  deriveAddress(index: number): Hex
}

/** An extended key that cannot be used, and why. */
export class XpubError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'XpubError'
  }
}

/** Depth of an account's key (m/44'/60'/0') and of its branch of receiving addresses (…/0). Source: BIP-44. */
const ACCOUNT_DEPTH = 3
const BRANCH_DEPTH = 4
const HARDENED = 0x80000000
const ID_DIGITS = 16

/**
 * Reads an extended public key: that of an account, whose branch 0 is taken, or of that branch itself.
 *
 * @throws {XpubError} when it is no such key.
 */
export async function openDepositXpub(text: string): Promise<DepositXpub> {
  const [{ HDKey }, { keccak256 }] = await Promise.all([import('@scure/bip32'), import('viem')])
  const branch = branchOf(() => HDKey.fromExtendedKey(text))
  return {
    id: createHash('sha256').update(branch.publicExtendedKey).digest('hex').slice(0, ID_DIGITS),
    deriveAddress(index) {
      const { publicKey } = branch.deriveChild(index)
      if (publicKey === null) throw new XpubError('the extended key gives no key for this index')
      const point = ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer
      return `0x${keccak256(point.subarray(1)).slice(-40)}`
    },
  }
}

interface ExtendedKey {
  readonly depth: number
  readonly index: number
  readonly privateKey: Uint8Array | null
  readonly publicKey: Uint8Array | null
  readonly publicExtendedKey: string
  deriveChild(index: number): ExtendedKey
}

function branchOf(parse: () => ExtendedKey): ExtendedKey {
  let key: ExtendedKey
  try {
    key = parse()
  } catch {
    throw new XpubError('the extended key has a wrong checksum or form')
  }
  if (key.privateKey !== null) throw new XpubError('the extended key is a private one, which must not be here')
  if (key.depth === ACCOUNT_DEPTH && key.index >= HARDENED) return key.deriveChild(0)
  if (key.depth === BRANCH_DEPTH && key.index === 0) return key
  throw new XpubError("the extended key is neither an account's (m/44'/60'/0') nor its branch of addresses (…/0)")
}
