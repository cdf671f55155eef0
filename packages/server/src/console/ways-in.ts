/** By what a person comes in: the last of these ways is never taken from them. */
import type { User } from '../access/sign-in/sign-in.ts'
import type { ConsoleDeps } from './console-deps.ts'

export type WayIn = 'wallet' | 'passkey'

/** Whether a person signs in without any wallet, or without any passkey. */
export async function comesInWithout(way: WayIn, deps: ConsoleDeps, user: User): Promise<boolean> {
  const { offers, settings, signIn, passkeys } = deps
  const { allowsPasswords, allowsWallets } = await settings()
  const { userId, hasEmail } = user
  if (hasEmail && offers.link) return true
  if (hasEmail && allowsPasswords && (await (await signIn()).hasPassword(userId))) return true
  if (way === 'wallet') return (await passkeys.list(userId)).some(({ isUsable }) => isUsable)
  return allowsWallets && (await (await signIn()).listWallets(userId)).length > 0
}
