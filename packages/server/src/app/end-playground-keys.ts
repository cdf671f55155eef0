/** Ending a session also ends the playground's keys that were made for it. Part of the composition. */
import type { PlaygroundKeys } from '../access/keys/playground-keys.ts'
import { SIGN_OUT_PATH, type SignIn } from '../access/sign-in/sign-in.ts'

type Ending = Pick<PlaygroundKeys, 'endBaseless'>

/** The same sign-in, whose ended sessions take their keys with them. */
export function endPlaygroundKeysWithSessions(signIn: SignIn, keys: Ending): SignIn {
  return {
    ...signIn,
    answer: async (request) => {
      if (!new URL(request.url).pathname.endsWith(SIGN_OUT_PATH)) return signIn.answer(request)
      const session = await signIn.findSession(request.headers.get('cookie') ?? undefined)
      const response = await signIn.answer(request)
      if (session !== null) await keys.endBaseless(session.user.userId)
      return response
    },
    endSession: async (userId, sessionId) => {
      const isEnded = await signIn.endSession(userId, sessionId)
      await keys.endBaseless(userId)
      return isEnded
    },
    endSessions: async (userId, except) => {
      await signIn.endSessions(userId, except)
      await keys.endBaseless(userId)
    },
  }
}
