import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { openPerson, peopleEnv, refusalOf, signInByMail, takeMail, tokenIn, visitOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { useMailServer } from '../../testing/use-mail-server.ts'

interface MemberList {
  readonly data: readonly { readonly user_id: string; readonly email: string | null; readonly role: string }[]
}

interface InvitationList {
  readonly data: readonly { readonly id: string; readonly email: string; readonly is_expired: boolean }[]
}

describeEachEngine('people of a team', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => {
    const clock = { now: () => Date.now() + aheadMs }
    return { engine, clock, env: { ...peopleEnv(mail), SVC_SIGNUP: 'invite' } }
  })
  let owner: BrowserSession
  let aheadMs = 0
  beforeAll(async () => {
    owner = createBrowserSession(gateway.baseUrl)
    await owner.json('POST', '/auth/sign-in/demo', {})
  })

  const makeTeam = async (name: string): Promise<string> =>
    `/console/teams/${(await owner.json<{ id: string }>('POST', '/console/teams', { name })).id}`
  const invite = (from: BrowserSession, base: string, email: string, role = 'member') =>
    from.call('POST', `${base}/invitations`, { email, role })
  const members = (from: BrowserSession, base: string) => from.json<MemberList>('GET', `${base}/members`)
  const memberOf = async (base: string, email: string) =>
    (await members(owner, base)).data.find((member) => member.email === email)?.user_id ?? ''
  /** Invites a new person to a team; they come in by the email. */
  const join = async (base: string, email: string, role = 'member'): Promise<BrowserSession> => {
    expect((await invite(owner, base, email, role)).status).toBe(200)
    const person = openPerson(gateway)
    const token = tokenIn(await takeMail(mail, email))
    const joined = await person.call('POST', '/auth/join', { token, name: email.split('@')[0] ?? '' })
    if (joined.status === 409) {
      const known = await signInByMail(gateway, mail, email)
      await known.json('POST', '/console/invitations/accept', { token })
      return known
    }
    expect(joined.status).toBe(200)
    return person
  }

  test('a new person joins by the invitation email, once, with the role that it gave', async () => {
    const base = await makeTeam('First')
    expect((await invite(owner, base, 'Ada@Example.com', 'viewer')).status).toBe(200)
    const email = await takeMail(mail, 'ada@example.com')
    expect(email.parsed.subject).toBe('You are invited to a team on SVC')
    expect(email.parsed.text).toContain('Demo asks you to join the team First')
    const token = tokenIn(email)
    const person = openPerson(gateway)
    const view = await person.json('POST', '/console/invitations/view', { token })
    expect(view).toMatchObject({ team_name: 'First', role: 'viewer', has_account: false, can_join: true })
    await person.json('POST', '/auth/join', { token, name: 'Ada' })
    const { user, teams } = await visitOf(person)
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada' })
    expect(teams.find(({ name }) => name === 'First')).toMatchObject({ role: 'viewer' })
    for (const call of ['/console/invitations/view', '/console/invitations/accept']) {
      expect(await refusalOf(await person.call('POST', call, { token }))).toEqual([404, 'invitation_not_found'])
    }
    const again = await openPerson(gateway).call('POST', '/auth/join', { token, name: 'Eve' })
    expect(await refusalOf(again)).toEqual([403, 'INVITATION_ENDED'])
    // What the role does not reach is refused, and so is asking a member again.
    expect(await refusalOf(await invite(person, base, 'x@example.com'))).toEqual([403, 'role_denied'])
    expect(await refusalOf(await invite(owner, base, 'ADA@example.com'))).toEqual([409, 'already_member'])
    expect((await owner.json<InvitationList>('GET', `${base}/invitations`)).data).toEqual([])
  })

  test('an email is no key to an existing account: its owner signs in and finds the invitation', async () => {
    const base = await makeTeam('Second')
    await invite(owner, base, 'ada@example.com', 'billing')
    const token = tokenIn(await takeMail(mail, 'ada@example.com'))
    const thief = openPerson(gateway)
    expect(await refusalOf(await thief.call('POST', '/auth/join', { token, name: 'x' }))).toEqual([
      409,
      'SIGN_IN_FIRST',
    ])
    expect((await visitOf(thief)).user).toBeNull()
    expect((await thief.call('POST', '/console/invitations/accept', { token })).status).toBe(401)
    const person = await signInByMail(gateway, mail, 'ada@example.com')
    const { data } = await person.json<{ data: { id: string; team_name: string }[] }>('GET', '/console/invitations')
    expect(data).toMatchObject([{ team_name: 'Second' }])
    const other = await join(base, 'other@example.com')
    const stolen = await other.call('POST', `/console/invitations/${data[0]?.id ?? ''}/accept`)
    expect(await refusalOf(stolen)).toEqual([404, 'invitation_not_found'])
    const takes = await Promise.all(
      [1, 2, 3].map(() => person.call('POST', `/console/invitations/${data[0]?.id ?? ''}/accept`)),
    )
    expect(takes.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    expect((await visitOf(person)).teams.find(({ name }) => name === 'Second')).toMatchObject({ role: 'billing' })
  })

  test('an invitation that is sent again, withdrawn, declined or over leads nowhere', async () => {
    const base = await makeTeam('Third')
    const email = 'third@example.com'
    const made = (await (await invite(owner, base, email)).json()) as { id: string }
    const first = tokenIn(await takeMail(mail, email))
    await owner.json('POST', `${base}/invitations/${made.id}/resend`)
    const second = tokenIn(await takeMail(mail, email))
    const viewer = openPerson(gateway)
    const view = async (token: string) => (await viewer.call('POST', '/console/invitations/view', { token })).status
    expect([await view(first), await view(second)]).toEqual([404, 200])
    aheadMs = 8 * 86_400_000
    expect(await view(second)).toBe(404)
    const { data } = await owner.json<InvitationList>('GET', `${base}/invitations`)
    expect(data).toMatchObject([{ email, is_expired: true }])
    aheadMs = 0
    await owner.json('DELETE', `${base}/invitations/${made.id}`)
    expect(await view(second)).toBe(404)
    expect(await refusalOf(await owner.call('POST', `${base}/invitations/${made.id}/resend`))).toEqual([
      404,
      'invitation_not_found',
    ])
    await invite(owner, base, 'other@example.com')
    const person = await signInByMail(gateway, mail, 'other@example.com')
    const own = await person.json<{ data: { id: string; team_name: string }[] }>('GET', '/console/invitations')
    await person.json('DELETE', `/console/invitations/${own.data[0]?.id ?? ''}`)
    expect((await owner.json<InvitationList>('GET', `${base}/invitations`)).data).toEqual([])
  })

  test('an invitation whose email may not leave ends none that was sent before', async () => {
    const base = await makeTeam('Sent')
    const email = 'sent@example.com'
    let link = ''
    let answer = await invite(owner, base, email)
    // As many as one address gets within an hour, and one more.
    while (answer.status === 200) {
      link = tokenIn(await takeMail(mail, email))
      answer = await invite(owner, base, email)
    }
    expect(await refusalOf(answer)).toEqual([429, 'rate_limit_exceeded'])
    const { data } = await owner.json<InvitationList>('GET', `${base}/invitations`)
    expect(data).toMatchObject([{ email }])
    const viewed = await openPerson(gateway).call('POST', '/console/invitations/view', { token: link })
    expect(viewed.status).toBe(200)
  })

  test('a member who may not invite any more has their open invitations withdrawn', async () => {
    const base = await makeTeam('Fourth')
    const admin = await join(base, 'admin@example.com', 'admin')
    expect(await refusalOf(await invite(admin, base, 'no@example.com', 'owner'))).toEqual([400, 'invalid_value'])
    expect((await invite(admin, base, 'friend@example.com', 'admin')).status).toBe(200)
    const token = tokenIn(await takeMail(mail, 'friend@example.com'))
    await owner.json('PATCH', `${base}/members/${await memberOf(base, 'admin@example.com')}`, { role: 'member' })
    const friend = openPerson(gateway)
    expect(await refusalOf(await friend.call('POST', '/auth/join', { token, name: 'f' }))).toEqual([
      403,
      'INVITATION_ENDED',
    ])
  })

  test('no member gives or takes a role above their own, and a team keeps an owner', async () => {
    const base = await makeTeam('Fifth')
    const admin = await join(base, 'admin5@example.com', 'admin')
    const self = await memberOf(base, 'admin5@example.com')
    const demo = (await visitOf(owner)).user?.id ?? ''
    const setRole = (from: BrowserSession, id: string, role: string) =>
      from.call('PATCH', `${base}/members/${id}`, { role })
    expect(await refusalOf(await setRole(admin, self, 'owner'))).toEqual([403, 'role_denied'])
    expect(await refusalOf(await setRole(admin, demo, 'viewer'))).toEqual([403, 'role_denied'])
    expect(await refusalOf(await admin.call('DELETE', `${base}/members/${demo}`))).toEqual([403, 'role_denied'])
    expect(await refusalOf(await setRole(owner, demo, 'admin'))).toEqual([409, 'last_owner'])
    expect(await refusalOf(await owner.call('DELETE', `${base}/membership`))).toEqual([409, 'last_owner'])
    expect(await refusalOf(await setRole(owner, 'nobody', 'admin'))).toEqual([404, 'member_not_found'])
    expect((await setRole(owner, self, 'owner')).status).toBe(200)
    // Two owners who leave at the same moment: one of them stays.
    const left = await Promise.all([owner, admin].map((person) => person.call('DELETE', `${base}/membership`)))
    expect(left.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test('a team that was made with a person keeps that person', async () => {
    const personal = (await visitOf(owner)).teams.find(({ is_personal: isPersonal }) => isPersonal)?.id ?? ''
    const base = `/console/teams/${personal}`
    const second = await join(base, 'second@example.com', 'admin')
    const demo = (await visitOf(owner)).user?.id ?? ''
    await owner.json('PATCH', `${base}/members/${await memberOf(base, 'second@example.com')}`, { role: 'owner' })
    expect(await refusalOf(await second.call('DELETE', `${base}/members/${demo}`))).toEqual([409, 'last_owner'])
    expect(await refusalOf(await owner.call('DELETE', `${base}/membership`))).toEqual([409, 'last_owner'])
  })

  test('a removed member is out at once, and their own keys with them, whatever is kept', async () => {
    const base = await makeTeam('Sixth')
    const makeKey = (person: BrowserSession) => person.json<{ key: string }>('POST', `${base}/keys`, { name: 'theirs' })
    const statusOf = async (key: string) => (await gateway.fetch('/v1/balance', { key })).status
    const gone = await join(base, 'gone@example.com')
    const kept = await join(base, 'kept@example.com')
    const leaver = await join(base, 'leaver@example.com')
    const keys = [await makeKey(gone), await makeKey(kept), await makeKey(leaver), await makeKey(owner)]
    await owner.json('DELETE', `${base}/members/${await memberOf(base, 'gone@example.com')}`)
    await owner.json('DELETE', `${base}/members/${await memberOf(base, 'kept@example.com')}?keys=keep`)
    await leaver.json('DELETE', `${base}/membership`)
    for (const person of [gone, kept, leaver]) {
      expect(await refusalOf(await person.call('GET', `${base}/members`))).toEqual([404, 'team_not_found'])
    }
    const statuses = []
    for (const { key } of keys) statuses.push(await statusOf(key))
    expect(statuses).toEqual([401, 401, 401, 200])
    const again = await owner.call('DELETE', `${base}/members/${(await visitOf(gone)).user?.id ?? ''}`)
    expect(await refusalOf(again)).toEqual([404, 'member_not_found'])
  })

  test('names of teams are visible text, and a person owns so many', async () => {
    for (const name of ['', '   ', 'a\u202eb', 'x'.repeat(65), 7]) {
      expect((await owner.call('POST', '/console/teams', { name })).status).toBe(400)
    }
    const person = await join(await makeTeam('Seventh'), 'many@example.com')
    const statuses = new Set<number>()
    for (let at = 0; at < 21; at += 1)
      statuses.add((await person.call('POST', '/console/teams', { name: `T${at}` })).status)
    expect([...statuses]).toEqual([200, 409])
    await owner.json('PATCH', `${await makeTeam('Old name')}`, { name: ' New name ' })
    expect((await visitOf(owner)).teams.map(({ name }) => name)).toContain('New name')
  })
})
