import { expect, test } from 'vitest'
import { endPlaygroundKeysWithSessions } from './end-playground-keys.ts'
import type { SignIn } from '../access/sign-in/sign-in.ts'

function keysThatNote() {
  const ended: string[] = []
  return {
    ended,
    endBaseless: (userId: string) => {
      ended.push(userId)
      return Promise.resolve()
    },
  }
}

test('signing in ends nothing, and signing out what the session had', async () => {
  const keys = keysThatNote()
  const signIn = endPlaygroundKeysWithSessions(
    {
      answer: () => Promise.resolve(new Response()),
      findSession: (cookie: string | undefined) =>
        Promise.resolve(cookie === 'hers' ? { user: { userId: 'ann' } } : null),
    } as unknown as SignIn,
    keys,
  )
  const call = (path: string, cookie: string) =>
    signIn.answer(new Request(`http://localhost/api/auth${path}`, { method: 'POST', headers: { cookie } }))
  await call('/sign-in/demo', 'hers')
  await call('/sign-out', 'nobodys')
  expect(keys.ended).toEqual([])
  await call('/sign-out', 'hers')
  expect(keys.ended).toEqual(['ann'])
})
