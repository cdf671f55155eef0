import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { childEnvironment } from '../../testing/child-environment.ts'
import { testXpub } from '../../testing/deposit-scene.ts'
import { eventually } from '../../testing/eventually.ts'
import { PUBLIC_MNEMONIC } from '../../testing/evm-chain.ts'
import { findFreePort } from '../../testing/free-port.mjs'
import { findProgram } from '../../testing/find-program.ts'
import { openTestDatabase } from '../../testing/test-database.ts'

test('a provider that does not answer ends no sweeper that is to go on', async () => {
  const store = await openTestDatabase('sqlite')
  const folder = await mkdtemp(join(tmpdir(), 'svc-sweeper-'))
  const wallet = mnemonicToAccount(PUBLIC_MNEMONIC, { path: `m/44'/60'/7'` }).getHdKey()
  const relayer = mnemonicToAccount(PUBLIC_MNEMONIC, { addressIndex: 1 }).getHdKey().privateKey
  const keys = {
    xprv: wallet.privateExtendedKey,
    relayer: toHex(relayer as Uint8Array),
    treasury: `0x${'1'.repeat(40)}`,
  }
  const path = join(folder, 'keys.json')
  await writeFile(path, JSON.stringify({ 4663: keys }), { mode: 0o600 })
  const env = {
    ...childEnvironment(),
    ...{ SVC_DATA_DIR: store.dataDir, SVC_UPSTREAM: 'openai-compatible', SVC_UPSTREAM_URL: 'http://127.0.0.1:9/v1' },
    ...{ SVC_DEPOSIT_XPUB: testXpub(), SVC_RPC_URLS_4663: `http://127.0.0.1:${await findFreePort()}` },
  }
  const child = spawn(process.execPath, [await findProgram('sweeper'), '--keys', path, '--every', '1'], { env })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  await eventually(async () => {
    expect([said, child.exitCode]).toEqual([expect.stringMatching(/^(error: chain 4663: .+\n){2,}$/), null])
  })
  child.kill()
  await once(child, 'close')
  await store.close()
  await rm(folder, { recursive: true })
}, 180_000)
