import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileContracts, LOCAL_CONTRACTS } from './compile-contracts.ts'
import { findAnvil } from './find-anvil.ts'
import { askNode } from './place-contracts.ts'
import { startLocalChains } from './local-chains.ts'

/** Where compiled contracts stay between runs of the tests. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/svc-local')
const compile = () => compileContracts([LOCAL_CONTRACTS], CACHE)

const RUN = `
  const { startLocalChains } = await import(${JSON.stringify(new URL('local-chains.ts', import.meta.url).href)})
  const { compileContracts, LOCAL_CONTRACTS } =
    await import(${JSON.stringify(new URL('compile-contracts.ts', import.meta.url).href)})
  const compile = () => compileContracts([LOCAL_CONTRACTS], ${JSON.stringify(CACHE)})
  await startLocalChains({ folder: process.argv[1], compile })
  process.stdout.write('started')
  setInterval(() => undefined, 60_000)
`

async function isAnswering(url: string): Promise<boolean> {
  return askNode(url, 'eth_chainId').then(
    () => true,
    () => false,
  )
}

test.skipIf(findAnvil() === null)(
  'chains that outlive a killed process are taken over, kept, and end with us',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-chains-'))
    const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const url = readFileSync(join(folder, '4663.url'), 'utf8')
    const block = await askNode(url, 'eth_getBlockByNumber', ['0x1', false])
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    expect(await isAnswering(url)).toBe(true)

    const chains = await startLocalChains({ folder, compile })
    expect(chains?.chains.map((chain) => chain.url)).toContain(url)
    await chains?.stop()
    for (const chain of chains?.chains ?? []) expect(await isAnswering(chain.url)).toBe(false)

    // Stopped in order it has written itself down, and goes on where it was.
    const again = await startLocalChains({ folder, compile })
    const [main] = again?.chains ?? []
    expect(await askNode(main!.url, 'eth_getBlockByNumber', ['0x1', false])).toEqual(block)
    await again?.stop()
    rmSync(folder, { recursive: true, force: true })
  },
)
