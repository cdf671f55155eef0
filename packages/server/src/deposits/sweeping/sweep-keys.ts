import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import type { ChainId, Hex } from '../../chain/assets.ts'

/** A key file that cannot be used, and why; the message holds no key. */
export class SweepKeyError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SweepKeyError'
  }
}

const entrySchema = z.strictObject({
  xprv: z.string().regex(/^xprv[1-9A-HJ-NP-Za-km-z]{107}$/),
  relayer: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  treasury: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
})

const fileSchema = z.strictObject({ 4663: entrySchema.optional(), 46630: entrySchema.optional() })

/** The keys of one chain, in memory only. */
export interface SweepKeys {
  readonly chainId: ChainId
  /** Names the extended key as rows of addresses do. */
  readonly xpubId: string
  readonly treasury: Hex
  /** Private key of the wallet that pays for token transfers. */
  readonly relayerKey: Hex
  /** Private key of a deposit address. It leaves this process in no form. */
  childKey(index: number): Hex
}

/**
 * Reads the key file: for each chain the extended private key of the deposit addresses, the private key of the relayer,
 * and the address of the treasury.
 *
 * @throws {SweepKeyError} when the file can be read by others than its owner, or is not such a file.
 */
export async function readSweepKeys(path: string): Promise<readonly SweepKeys[]> {
  const parsed = fileSchema.safeParse(readOwnFile(path))
  if (!parsed.success) {
    const place = parsed.error.issues[0]?.path.join('.') ?? ''
    throw new SweepKeyError(`The key file is not well formed${place === '' ? '' : ` at ${place}`}.`)
  }
  const keys: SweepKeys[] = []
  for (const chainId of [4663, 46630] as const) {
    const entry = parsed.data[chainId]
    if (entry !== undefined) keys.push(await keysFrom(chainId, entry))
  }
  if (keys.length === 0) throw new SweepKeyError('The key file names no chain.')
  return keys
}

function readOwnFile(path: string): unknown {
  try {
    if ((statSync(path).mode & 0o077) !== 0) {
      throw new SweepKeyError('The key file can be read by others than its owner: run chmod 600 on it.')
    }
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SweepKeyError) throw error
    throw new SweepKeyError('The key file cannot be read, or is not JSON.')
  }
}

/** Depth of an account's key (m/44'/60'/0') and of its branch of receiving addresses (…/0). Source: BIP-44. */
const ACCOUNT_DEPTH = 3
const BRANCH_DEPTH = 4
const ID_DIGITS = 16

async function keysFrom(chainId: ChainId, entry: z.output<typeof entrySchema>): Promise<SweepKeys> {
  const { HDKey } = await import('@scure/bip32')
  let key
  try {
    key = HDKey.fromExtendedKey(entry.xprv)
  } catch {
    throw new SweepKeyError(`The extended private key of chain ${chainId} has a wrong checksum or form.`)
  }
  if (key.depth !== ACCOUNT_DEPTH && key.depth !== BRANCH_DEPTH) {
    throw new SweepKeyError(`The extended private key of chain ${chainId} is neither an account's nor its branch 0.`)
  }
  const branch = key.depth === ACCOUNT_DEPTH ? key.deriveChild(0) : key
  return {
    chainId,
    xpubId: createHash('sha256').update(branch.publicExtendedKey).digest('hex').slice(0, ID_DIGITS),
    treasury: entry.treasury.toLowerCase() as Hex,
    relayerKey: entry.relayer as Hex,
    childKey(index) {
      const { privateKey } = branch.deriveChild(index)
      if (privateKey === null) throw new SweepKeyError('The extended key gives no private key for this index.')
      return `0x${Buffer.from(privateKey).toString('hex')}`
    },
  }
}
