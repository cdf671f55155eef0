import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findAnvil } from './find-anvil.ts'
import type { CompiledContracts } from './compile-contracts.ts'
import { compileInThread } from './compile-in-thread.ts'
import { keepChainGoing } from './keep-chain-going.ts'
import { adoptAnvil, type AdoptedAnvil, startAnvil } from './start-anvil.ts'
import { askNode, placeContracts, TOKEN_ADDRESS } from './place-contracts.ts'

/** A chain that runs on this machine, for trying deposits out. */
export interface LocalChain {
  readonly chainId: 4663 | 46630
  readonly url: string
  /** Extended public key of the addresses that accounts have there. */
  readonly xpub: string
}

export interface LocalChainsOptions {
  /** Where the chains and their wallets are kept; made where it is missing. */
  readonly folder: string
  /** Compiles the contracts; absent, in a thread of its own. */
  readonly compile?: (cacheFolder: string) => Promise<CompiledContracts>
}

export interface LocalChains {
  readonly chains: readonly LocalChain[]
  stop(): Promise<void>
}

const CHAIN_IDS = [4663, 46630] as const
/** Path of an account in a wallet. Source: BIP-44; coin 60 is Ether, coin 1 those of test networks. */
const PATHS = { 4663: "m/44'/60'/0'", 46630: "m/44'/1'/0'" } as const

/**
 * Starts both chains, or finds them running, with their token and price feed. They are kept in the folder. Where a
 * chain had to be made anew, so is the wallet of its addresses: an address of an earlier chain has no history on it.
 *
 * @returns null where the program of the chains is not installed.
 */
export async function startLocalChains({
  folder,
  compile = compileInThread,
}: LocalChainsOptions): Promise<LocalChains | null> {
  const program = findAnvil()
  if (program === null) return null
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const contracts = await compile(folder)
  const started: { readonly chain: LocalChain; readonly stop: () => Promise<void> }[] = []
  try {
    for (const chainId of CHAIN_IDS) started.push(await startOne({ program, folder, contracts }, chainId))
  } catch (error) {
    await Promise.all(started.map(({ stop }) => stop()))
    throw error
  }
  return {
    chains: started.map(({ chain }) => chain),
    stop: async () => {
      await Promise.all(started.map(({ stop }) => stop()))
    },
  }
}

interface Place {
  readonly program: string
  readonly folder: string
  readonly contracts: CompiledContracts
}

async function startOne({ program, folder, contracts }: Place, chainId: 4663 | 46630) {
  const anvil = (await findRunning(folder, chainId)) ?? (await startNoted(program, folder, chainId))
  const { url } = anvil
  const isNew = !(await hasToken(url))
  if (isNew) await placeContracts(url, contracts)
  const wallet = join(folder, `${chainId}.wallet`)
  const xprv = isNew ? await makeWallet(wallet, chainId) : await readWallet(wallet, chainId)
  const { HDKey } = await import('@scure/bip32')
  const xpub = HDKey.fromExtendedKey(xprv).publicExtendedKey
  const rest = await keepChainGoing(url)
  return {
    chain: { chainId, url, xpub },
    stop: async () => {
      rest()
      await anvil.stop()
    },
  }
}

/** Starts a chain, and notes where it listens and which process it is. */
async function startNoted(program: string, folder: string, chainId: number): Promise<AdoptedAnvil> {
  const anvil = await startAnvil({ program, chainId, stateFile: join(folder, `${chainId}.json`) })
  // The process first: a reader of the address finds it, too.
  await writeFile(join(folder, `${chainId}.pid`), `${anvil.process.pid ?? ''}`, { mode: 0o600 })
  await writeFile(join(folder, `${chainId}.url`), anvil.url, { mode: 0o600 })
  return anvil
}

/**
 * A chain that an earlier process has left running; null where there is none. As it answers at the noted address for
 * the noted chain, the noted process is still its own.
 */
async function findRunning(folder: string, chainId: number): Promise<AdoptedAnvil | null> {
  const [url, pid] = await Promise.all(
    ['url', 'pid'].map((name) => readFile(join(folder, `${chainId}.${name}`), 'utf8').catch(() => '')),
  )
  if (url?.startsWith('http://127.0.0.1:') !== true || !/^[1-9]\d{0,9}$/.test(pid ?? '')) return null
  try {
    return Number(await askNode(url, 'eth_chainId')) === chainId ? adoptAnvil(url, Number(pid)) : null
  } catch {
    return null
  }
}

async function hasToken(url: string): Promise<boolean> {
  return (await askNode(url, 'eth_getCode', [TOKEN_ADDRESS, 'latest'])) !== '0x'
}

async function readWallet(path: string, chainId: 4663 | 46630): Promise<string> {
  return readFile(path, 'utf8').catch(() => makeWallet(path, chainId))
}

/**
 * Makes the private half of the addresses on a chain without value, and keeps it beside the chain, so that what is paid
 * to them can be collected. Nowhere else does the gateway see a private key.
 */
async function makeWallet(path: string, chainId: 4663 | 46630): Promise<string> {
  const { HDKey } = await import('@scure/bip32')
  const xprv = HDKey.fromMasterSeed(randomBytes(32)).derive(PATHS[chainId]).privateExtendedKey
  await writeFile(path, xprv, { mode: 0o600 })
  return xprv
}
