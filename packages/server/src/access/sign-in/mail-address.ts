/**
 * An email address for a person who signed in by a wallet. It counts once a link in an email to it was opened, in a
 * browser in which that very person is signed in: a person who opens an email that a stranger asked for gives nothing
 * away by opening it. Source: decision 0053 (adding an email address).
 */
import { randomBytes } from 'node:crypto'
import { hashToken } from '../../platform/runtime/hash-token.ts'
import type { Library } from './library.ts'
import { hasMailbox, type ProveEmailOutcome, type User } from './sign-in.ts'
import type { SignInDeps } from './sign-in-policy.ts'

/** How long the link works, in milliseconds. Source: decision 0040 (sign-in), as a link that signs in. */
const LINK_MS = 15 * 60_000
const TOKEN_BYTES = 24

export interface MailAddressDeps extends Pick<SignInDeps, 'sendAddressLink' | 'sendAddressTaken'> {
  readonly library: Library
  readonly now: () => number
}

/** The person is part of the name: a token in another session names nothing, and nothing is used up. */
function identifierOf(userId: string, token: string): string {
  return `svc-email:${userId}:${hashToken(token)}`
}

/** Writes to the address: the link, or where the address has an account already, that. The asker cannot tell which. */
export async function askForAddress(deps: MailAddressDeps, user: User, typed: string): Promise<void> {
  const email = typed.toLowerCase()
  const { internalAdapter } = await deps.library.$context
  if ((await internalAdapter.findUserByEmail(email)) !== null) return deps.sendAddressTaken({ email })
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expiresAt = deps.now() + LINK_MS
  await internalAdapter.createVerificationValue({
    identifier: identifierOf(user.userId, token),
    value: email,
    expiresAt: new Date(expiresAt),
  })
  await deps.sendAddressLink({ email, token, expiresAt })
}

/** Takes the address that a link was sent to. Each link counts once. */
export async function proveAddress(
  { library, now }: Pick<MailAddressDeps, 'library' | 'now'>,
  user: User,
  token: string,
): Promise<ProveEmailOutcome> {
  if (hasMailbox(user.email)) return 'has_one'
  const { internalAdapter, adapter } = await library.$context
  const proof = await internalAdapter.consumeVerificationValue(identifierOf(user.userId, token))
  if (proof === null) return 'wrong_token'
  const email = proof.value
  const isTaken = async (): Promise<boolean> => (await internalAdapter.findUserByEmail(email)) !== null
  if (await isTaken()) return 'taken'
  try {
    // Another link of theirs may have been opened meanwhile: the first one counts.
    const changed = await adapter.updateMany({
      model: 'user',
      where: [
        { field: 'id', value: user.userId },
        { field: 'email', value: user.email },
      ],
      update: { email, emailVerified: true, updatedAt: new Date(now()) },
    })
    return changed > 0 ? 'proven' : 'has_one'
  } catch (error) {
    // The column is unique: another person has made an account with it in this moment.
    if (await isTaken()) return 'taken'
    throw error
  }
}
