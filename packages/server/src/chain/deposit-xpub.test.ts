import { expect, test } from 'vitest'
import { mnemonicToAccount } from 'viem/accounts'
import { ownerOfAddress, testXpub } from '../../testing/deposit-scene.ts'
import { PUBLIC_MNEMONIC } from '../../testing/evm-chain.ts'
import { openDepositXpub } from './deposit-xpub.ts'

test('addresses are those of the wallet that the key belongs to', async () => {
  const xpub = await openDepositXpub(testXpub())
  for (const index of [0, 1, 77, 2_147_483_647]) {
    expect(xpub.deriveAddress(index)).toBe(ownerOfAddress(index).address.toLowerCase())
  }
})

test("an account's key and that of its branch give the same addresses and are one key", async () => {
  const account = mnemonicToAccount(PUBLIC_MNEMONIC, { path: "m/44'/60'/3'" }).getHdKey()
  const [one, other] = [account, account.deriveChild(0)].map((key) => openDepositXpub(key.publicExtendedKey))
  expect((await one)?.id).toBe((await other)?.id)
  expect((await one)?.deriveAddress(5)).toBe((await other)?.deriveAddress(5))
})

test.each([
  ['a private key', (key: ReturnType<typeof accountKey>) => key.privateExtendedKey, 'private'],
  ['a key of another branch', (key: ReturnType<typeof accountKey>) => key.deriveChild(1).publicExtendedKey, 'neither'],
  ['the key of one address', (key: ReturnType<typeof accountKey>) => key.derive('m/0/0').publicExtendedKey, 'neither'],
  ['a key with a typing error', (key: ReturnType<typeof accountKey>) => flipped(key.publicExtendedKey), 'checksum'],
])('%s is refused', async (_name, pick, message) => {
  await expect(openDepositXpub(pick(accountKey()))).rejects.toThrow(message)
})

function accountKey() {
  return mnemonicToAccount(PUBLIC_MNEMONIC, { path: "m/44'/60'/3'" }).getHdKey()
}

function flipped(text: string): string {
  return `${text.slice(0, 50)}${text[50] === 'x' ? 'y' : 'x'}${text.slice(51)}`
}
