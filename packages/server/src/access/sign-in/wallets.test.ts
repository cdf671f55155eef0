import { expect, test, vi } from 'vitest'
import type { Library } from './library.ts'
import type { Session } from './sign-in.ts'
import { type WalletDeps, challengeWallet, linkWallet } from './wallets.ts'

const place = { address: '0x52908400098527886E0F7030069857D2E4169EE7', chainId: 1 }
const user = { userId: 'ada', email: 'ada@example.com', hasEmail: true, name: 'Ada' }
const session: Session = { sessionId: 'one', user, signedInAt: 0, expiresAt: 1 }

test.each([
  [['one'], 'linked', 1],
  [['another'], 'signed_out', 0],
])('with the sessions %j a wallet is %s', async (open, outcome, written) => {
  const create = vi.fn<() => Promise<void>>()
  const sessions: string[] = ['one']
  const context = {
    internalAdapter: {
      createVerificationValue: () => Promise.resolve(),
      consumeVerificationValue: () => Promise.resolve({ value: user.userId }),
      listSessions: () => Promise.resolve(sessions.map((id) => ({ id }))),
    },
    adapter: { findMany: () => Promise.resolve([]), create },
  }
  const deps: WalletDeps = {
    library: { $context: Promise.resolve(context) } as unknown as Library,
    origin: 'http://localhost:8080',
    now: () => 1_700_000_000_000,
    // A session ends while the chain is asked.
    verifyWallet: () => {
      sessions.splice(0, 1, ...open)
      return Promise.resolve('contract')
    },
  }
  const { message } = await challengeWallet(deps, user, place)
  expect(await linkWallet(deps, session, { message, signature: '0x' })).toBe(outcome)
  expect(create).toHaveBeenCalledTimes(written)
})
