/** The sweeper as operators run it: a process beside a gateway, on one database and one chain. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { depositSettings } from '../../packages/server/testing/deposit-gateway.ts'
import { hasEvm, PUBLIC_MNEMONIC, startEvmChain, TOKEN, usdg } from '../../packages/server/testing/evm-chain.ts'
import { openGatewayProcesses } from '../../packages/server/testing/gateway-process.ts'
import { describeEachEngine } from '../../packages/server/testing/test-database.ts'

const XPRV = mnemonicToAccount(PUBLIC_MNEMONIC, { path: `m/44'/60'/7'` }).getHdKey().privateExtendedKey
const RELAYER = toHex(mnemonicToAccount(PUBLIC_MNEMONIC, { addressIndex: 1 }).getHdKey().privateKey as Uint8Array)
const TREASURY = `0x${'7e'.repeat(20)}`

describe.skipIf(!hasEvm())('npm run sweep', () => {
  describeEachEngine('beside a running gateway', (engine) => {
    test('moves what was credited, once, and later deposits are credited all the same', async () => {
      const [chain, folder] = [await startEvmChain(), await mkdtemp(join(tmpdir(), 'svc-sweeper-'))]
      const path = join(folder, 'keys.json')
      await writeFile(path, JSON.stringify({ 4663: { xprv: XPRV, relayer: RELAYER, treasury: TREASURY } }))
      await chmod(path, 0o600)
      const processes = await openGatewayProcesses({
        ...{ engine, upstreamUrl: 'http://127.0.0.1:9/v1', credits: '0' },
        ...depositSettings(chain),
      })
      const gateway = await processes.start()
      const headers = { authorization: `Bearer ${processes.key}`, 'content-type': 'application/json' }
      const place = await (await fetch(`${gateway.baseUrl}/deposits/address`, { headers })).json()
      const { address } = (place as { readonly chains: readonly { readonly address: `0x${string}` }[] }).chains[0]!
      const deposit = async (amount: number): Promise<void> => {
        const txHash = await chain.payToken(address, usdg(amount))
        await chain.finalise()
        const body = JSON.stringify({ txHash, asset: 'USDG', chainId: 4663 })
        const claim = await fetch(`${gateway.baseUrl}/deposits/claim`, { method: 'POST', headers, body })
        expect(await claim.json()).toMatchObject({ status: 'credited', credits: amount * 1_000 })
      }
      const treasury = () => chain.read('Usdg.balanceOf', TOKEN, [TREASURY])
      const sweep = (...words: string[]) => processes.sweep('--keys', path, ...words)
      const lower = address.toLowerCase()

      await deposit(25)
      const dry = `chain 4663: would move 25.000000 USDG from ${lower}\n`
      const idle = 'chain 4663: 1 new, 0 on their way, 0 final, 0 failed\n'
      expect(await sweep('--dry-run')).toEqual({ code: 0, output: dry + idle })
      expect(await treasury()).toBe(0n)
      expect(await sweep('--min-usdg', '30')).toMatchObject({ code: 0, output: expect.stringContaining('0 new') })
      // Two at a time: one works, the other finds it at work, or nothing left to do.
      const rounds = await Promise.all([sweep(), sweep()])
      const moved = `chain 4663: moved 25.000000 USDG from ${lower}\n`
      expect(rounds.filter(({ output }) => output.includes(moved))).toHaveLength(1)
      await chain.finalise()
      expect(await treasury()).toBe(usdg(25))
      const end = await sweep()
      expect(end).toEqual({ code: 0, output: 'chain 4663: 0 new, 0 on their way, 1 final, 0 failed\n' })

      await deposit(7)
      expect((await processes.balance()).posted).toBe(32_000n * 1_000_000_000n)
      // Nothing that was printed holds the keys.
      for (const printed of [gateway.output(), ...rounds.map(({ output }) => output)]) {
        expect(printed).not.toContain(XPRV)
        expect(printed).not.toContain(RELAYER.slice(2))
      }
      await processes.stop()
      await chain.stop()
      await rm(folder, { recursive: true, force: true })
    })
  })
})
