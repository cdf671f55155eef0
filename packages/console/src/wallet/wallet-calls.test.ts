import { describe, expect, test } from 'vitest'
import type { WalletProvider } from './injected-wallets.ts'
import { parseUnits, sendPayment, signText, transactionOf } from './wallet-calls.ts'

const TO = '0x52908400098527886E0F7030069857D2E4169EE7'
const TOKEN = '0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168'
const FROM = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const HASH = `0x${'ab'.repeat(32)}`

/** A wallet that answers by method, and notes what it was asked. */
function walletOf(answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>>) {
  const asked: string[] = []
  const provider: WalletProvider = {
    request: async ({ method, params = [] }) => {
      asked.push(method)
      return answers[method]?.(params) ?? null
    },
  }
  return { provider, asked }
}

test.each([
  ['25', 6, 25_000_000n],
  ['25.5', 6, 25_500_000n],
  ['0,000001', 6, 1n],
  [' 1.0000000 ', 6, 1_000_000n],
  ['0.000000000000000001', 18, 1n],
  ['999999999999', 18, 999_999_999_999n * 10n ** 18n],
  ['25.', 6, 25_000_000n],
])('%j with %i decimals are %i units', (text, decimals, units) => {
  expect(parseUnits(text, decimals)).toBe(units)
})

test.each(['', '0', '0.0', '-1', '1e3', '1.2.3', '0x10', '1.0000001', 'NaN', '1 000', '1234567890123'])(
  '%j is no amount of USDG',
  (text) => {
    expect(parseUnits(text, 6)).toBeNull()
  },
)

test('ETH is sent as it is, a token by a call of its contract', () => {
  expect(transactionOf({ to: TO, token: null, units: 10n ** 16n })).toEqual({ to: TO, value: '0x2386f26fc10000' })
  expect(transactionOf({ to: TO, token: TOKEN, units: 25_000_000n })).toEqual({
    to: TOKEN,
    value: '0x0',
    data:
      '0xa9059cbb00000000000000000000000052908400098527886e0f7030069857d2e4169ee7' +
      '00000000000000000000000000000000000000000000000000000000017d7840',
  })
})

describe('a payment', () => {
  const payment = { to: TO, token: null, units: 1n } as const

  test('goes out on its own network alone', async () => {
    let chain = '0x1'
    const wallet = walletOf({
      eth_requestAccounts: () => [FROM],
      eth_chainId: () => chain,
      wallet_switchEthereumChain: ([wanted]) => {
        chain = (wanted as { chainId: string }).chainId
      },
      eth_sendTransaction: ([call]) => {
        expect(call).toEqual({ from: FROM, to: TO, value: '0x1' })
        return HASH
      },
    })
    expect(await sendPayment(wallet.provider, 4_663, payment)).toBe(HASH)
    expect(wallet.asked).toEqual([
      'eth_requestAccounts',
      'eth_chainId',
      'wallet_switchEthereumChain',
      'eth_chainId',
      'eth_sendTransaction',
    ])
    const stubborn = walletOf({ eth_requestAccounts: () => [FROM], eth_chainId: () => '0x1' })
    await expect(sendPayment(stubborn.provider, 4_663, payment)).rejects.toThrow('on another network still')
    expect(stubborn.asked).not.toContain('eth_sendTransaction')
  })

  test.each([
    [{ code: 4001, message: 'x' }, 'You declined it in the wallet.'],
    [{ code: 4902 }, 'does not know this network'],
    [{ code: -32_002 }, 'an open question'],
    [{ code: -32_000, message: 'insufficient funds' }, 'The wallet did not do it: insufficient funds'],
    [null, 'it gave no reason'],
  ])('that fails with %j is explained in a sentence', async (failure, text) => {
    const { provider } = walletOf({
      eth_requestAccounts: () => Promise.reject(failure as unknown as Error),
    })
    await expect(sendPayment(provider, 4_663, payment)).rejects.toThrow(text)
  })

  test.each([null, '', '0x12', 7, {}])('whose hash is %j is not followed', async (answer) => {
    const { provider } = walletOf({
      eth_requestAccounts: () => [FROM],
      eth_chainId: () => 4_663,
      eth_sendTransaction: () => answer,
    })
    await expect(sendPayment(provider, 4_663, payment)).rejects.toThrow('cannot be used')
  })
})

test('a text is signed by its bytes', async () => {
  const { provider } = walletOf({ personal_sign: ([bytes]) => bytes })
  expect(await signText(provider, FROM, 'é\n')).toBe('0xc3a90a')
})
