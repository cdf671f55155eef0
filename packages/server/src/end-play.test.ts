import { expect, test } from 'vitest'
import { endPlayWithRoles, endPlayWithSessions } from './end-play.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import type { TeamStore } from './teams/team-store.ts'

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

test('a role that changed and a member who left take their keys with them; what changed nothing does not', async () => {
  const keys = keysThatNote()
  let isChanged = true
  const change = () => Promise.resolve(isChanged)
  const teams = endPlayWithRoles({ setRole: change, removeMember: change } as unknown as TeamStore, keys)
  const at = { teamId: 'team', from: 'member', to: 'viewer', now: 1 } as const
  await teams.setRole({ ...at, userId: 'ann' })
  await teams.removeMember({ ...at, userId: 'ben' })
  isChanged = false
  await teams.setRole({ ...at, userId: 'cat' })
  await teams.removeMember({ ...at, userId: 'dan' })
  expect(keys.ended).toEqual(['ann', 'ben'])
})

test('signing in ends nothing, and signing out what the session had', async () => {
  const keys = keysThatNote()
  const signIn = endPlayWithSessions(
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
