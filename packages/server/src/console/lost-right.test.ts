/** What gives money or authority is written only while its actor has the right to it, whatever was asked before. */
import { nanocreditsOf } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowserSession } from '../../testing/browser-session.ts'
import { startMailServer, type TestMailServer } from '../../testing/mail-server.ts'
import { heldBackDeposit } from '../../testing/operator-scene.ts'
import { peopleEnv, signInByMail, visitOf } from '../../testing/people.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { createTestAccount, startTestGateway, type TestGateway } from '../../testing/test-gateway.ts'
import type { NewEntry } from '../access/operators/journal.ts'
import { createJournalStore } from '../access/operators/journal-store.ts'
import { createOperatorStore } from '../access/operators/operator-store.ts'
import { inviteMember, resendInvitation } from '../access/teams/invitations.ts'
import { changeRole, removeMember } from '../access/teams/manage-members.ts'
import type { Membership } from '../access/teams/membership.ts'
import { createTeamStore } from '../access/teams/team-store.ts'
import {
  readTeamSettings,
  renameTeam,
  setRotationOverlap,
  setTeamAlert,
  setTeamCap,
} from '../access/teams/team-settings.ts'
import { changeSettings } from '../operations/actions/change-settings.ts'
import { decideReview } from '../operations/actions/decide-review.ts'
import { recordCredit } from '../operations/actions/record-credit.ts'
import { changeAccountLimits } from '../operations/actions/change-account-limits.ts'
import { changeAccountStatus, endAccount } from '../operations/actions/set-account-state.ts'
import { addOperator, removeOperator } from '../operations/actions/manage-operators.ts'

describeEachEngine('a right that was lost between the question and the write', (engine) => {
  let gateway: TestGateway
  let mail: TestMailServer
  let admin = { userId: '', name: 'Ada' }
  let other = ''
  let membership: Membership
  const denied = { code: 'role_denied' }
  const database = () => gateway.gateway.database
  const teams = () => createTeamStore(database())
  const deps = () => gateway.gateway.console.deps
  const operators = () => createOperatorStore(database())
  const services = () => gateway.gateway.operators

  beforeAll(async () => {
    mail = await startMailServer()
    gateway = await startTestGateway({ engine, env: peopleEnv(mail) })
    const address = (await gateway.gateway.console.firstRunAddress()) ?? ''
    await createBrowserSession(gateway.baseUrl).json('POST', '/auth/first-run', {
      ...{ token: address.split('#')[1], email: 'operator@example.com', name: 'Operator' },
    })
    const open = async (email: string) => (await visitOf(await signInByMail(gateway, mail, email))).user?.id ?? ''
    admin = { userId: await open('ada@example.com'), name: 'Ada' }
    other = await open('other@example.com')
    const { teamId } = await createTestAccount(gateway.gateway, '500', 'Crew')
    await teams().addMember({ teamId, userId: admin.userId, role: 'admin', createdAt: 1 })
    await teams().addMember({ teamId, userId: other, role: 'member', createdAt: 2 })
    membership = (await teams().findMembership(admin.userId, teamId)) as Membership
  })
  afterAll(async () => {
    await gateway.stop()
    await mail.close()
  })

  const reach = () => ({
    ...{ accountId: membership.accountId, teamId: membership.teamId, userId: admin.userId, seesAll: true },
    roles: ['owner', 'admin'],
  })
  const inviter = () => ({ membership, ...admin })
  const actor = () => ({ ...membership, userId: admin.userId })
  const setRole = (from: 'admin' | 'member', to: 'admin' | 'member') =>
    teams().setRole({ teamId: membership.teamId, userId: admin.userId, from, to, now: Date.now() })

  test('writes no key, no change of one, no invitation and no role', async () => {
    const { keys, people } = deps()
    const before = await keys.create(reach(), { name: 'before', kind: 'service' })
    const invited = await inviteMember(people.invitations, inviter(), { email: 'x@example.com', role: 'viewer' })
    await setRole('admin', 'member')

    await expect(keys.create(reach(), { name: 'after', kind: 'service' })).rejects.toMatchObject(denied)
    await expect(keys.rotate(reach(), before.keyId, 0)).rejects.toMatchObject(denied)
    await expect(keys.change(reach(), before.keyId, { budget: null })).rejects.toMatchObject(denied)
    const invite = inviteMember(people.invitations, inviter(), { email: 'x@example.com', role: 'admin' })
    await expect(invite).rejects.toMatchObject(denied)
    // The one that was open ended with the role of its writer.
    const resend = resendInvitation(people.invitations, inviter(), invited.invitationId)
    await expect(resend).rejects.toMatchObject({ code: 'invitation_not_found' })
    const raise = changeRole(people.members, actor(), { userId: other, role: 'admin' })
    await expect(raise).rejects.toMatchObject(denied)
    const remove = removeMember(people.members, actor(), { userId: other, keys: 'revoke' })
    await expect(remove).rejects.toMatchObject(denied)
    expect((await keys.list(reach(), { limit: 50 })).map(({ name }) => name)).toEqual(['before'])
    expect((await teams().findMembership(other, membership.teamId))?.role).toBe('member')
    await setRole('member', 'admin')
    await keys.create(reach(), { name: 'again', kind: 'service' })
  })

  test('sends no invitation anew', async () => {
    const { people } = deps()
    const owner = { ...inviter(), userId: other }
    const store = people.invitations.store
    const invited = await inviteMember(people.invitations, inviter(), { email: 'y@example.com', role: 'viewer' })
    // Another one's invitation stays open.
    await expect(resendInvitation(people.invitations, owner, invited.invitationId)).rejects.toMatchObject({
      code: 'invitation_not_found',
    })
    expect((await store.find(invited.invitationId))?.expiresAt).toBe(invited.expiresAt)
  })

  test('moves no credits and makes no operator', async () => {
    const by = { operatorId: admin.userId, name: 'Ada', way: 'console' } as const
    const { accountId } = membership
    const grant = { source: 'grant', accountId, amount: nanocreditsOf(5n), reason: 'late', id: null } as const
    const balance = async () =>
      (await database().read.selectFrom('balance').select('posted').where('account_id', '=', accountId).execute())[0]
    const before = await balance()
    await expect(recordCredit(services(), by, grant)).rejects.toMatchObject(denied)
    await expect(addOperator(services(), by, { email: 'ada@example.com', reason: 'x' })).rejects.toMatchObject(denied)
    const [first] = await operators().list()
    const removal = removeOperator(services(), by, { userId: first?.userId ?? '', reason: 'x' })
    await expect(removal).rejects.toMatchObject(denied)

    // The writes themselves, behind an entry of the journal that came in time.
    const credit = { kind: 'credit', source: 'grant', transferId: 'late', accountId, reason: 'late' } as const
    const operation = { ...credit, amount: nanocreditsOf(5n), now: Date.now() }
    const submit = (operatorId: string) => gateway.gateway.ledger.submit({ ...operation, operatorId })
    expect(await submit(admin.userId)).toEqual({ kind: 'not_operator' })
    expect(await operators().add(admin.userId, 1, admin.userId)).toBe(false)
    expect(await operators().remove(first?.userId ?? '', admin.userId)).toBe(false)
    expect(await operators().list()).toEqual([first])
    expect(await balance()).toEqual(before)
    expect(await submit(first?.userId ?? '')).toMatchObject({ kind: 'credited' })
  })

  test('suspends and closes no account, sets no limit and no setting, and decides about no deposit', async () => {
    const { accountId } = await createTestAccount(gateway.gateway, '5')
    const deposit = await heldBackDeposit(database(), accountId)
    const by = { operatorId: other, name: 'Other', way: 'console' } as const
    const real = createJournalStore(database())
    // The right is lost right behind the entry of the journal.
    const journal = {
      ...real,
      begin: async (entry: NewEntry) => {
        const isBegun = await real.begin(entry)
        await operators().remove(other)
        return isBegun
      },
    }
    const actions = { ...services(), journal }
    const action = { accountId, reason: 'late' }
    const state = async () => [
      await actions.accounts.find(accountId),
      await actions.limits.accountLimitStore.find(accountId),
      await operators().readSettings(),
      await actions.deposits.find(deposit.depositId),
      await actions.decisions.list(deposit.depositId),
    ]
    const before = await state()
    const tried: (readonly [string, () => Promise<unknown>])[] = [
      ['suspend', () => changeAccountStatus(actions, by, { ...action, status: 'suspended' })],
      ['close', () => endAccount(actions, by, action)],
      ['limits', () => changeAccountLimits(actions, by, { ...action, changes: { requestsPerMinute: 1 } })],
      ['settings', () => changeSettings(actions, by, { brand: 'Late' })],
      [
        'reject',
        () => decideReview(actions, by, { depositId: deposit.depositId, decision: 'reject', reason: 'x', price: null }),
      ],
    ]
    for (const [name, act] of tried) {
      await operators().add(other, Date.now())
      expect([name, await act().catch((error: unknown) => error)]).toMatchObject([name, denied])
      expect((await real.list({ limit: 1 }))[0]).toMatchObject({ operatorId: other, outcome: 'refused' })
    }
    expect(await state()).toEqual(before)
    await operators().add(other, Date.now())
    expect(await changeAccountStatus({ ...actions, journal: real }, by, { ...action, status: 'suspended' })).toBe(
      'changed',
    )
    await operators().remove(other)
  })

  test('sets nothing of a team', async () => {
    const { settings } = deps().people
    const by = { teamId: membership.teamId, userId: admin.userId, roles: ['owner', 'admin'] }
    const before = await readTeamSettings(settings, by.teamId)
    await setRole('admin', 'member')
    const cap = { limit: nanocreditsOf(5n), period: 'daily' } as const
    for (const act of [
      () => setTeamCap(settings, by, cap),
      () => setTeamAlert(settings, by, nanocreditsOf(5n)),
      () => setRotationOverlap(settings, by, 0),
      () => renameTeam(settings, by, 'Late'),
    ]) {
      await expect(act()).rejects.toMatchObject(denied)
    }
    expect(await readTeamSettings(settings, by.teamId)).toEqual(before)
    expect((await teams().findMembership(admin.userId, by.teamId))?.name).toBe('Crew')
    await setRole('member', 'admin')
    await setTeamCap(settings, by, cap)
    expect((await readTeamSettings(settings, by.teamId)).cap).toBe(5n)
    await setTeamCap(settings, by, null)
  })

  test('leaves an operator where two remove each other at once', async () => {
    const [first] = await operators().list()
    const one = first?.userId ?? ''
    await operators().add(other, 1)
    const removed = await Promise.all([operators().remove(one, other), operators().remove(other, one)])
    expect(removed.toSorted()).toEqual([false, true])
    expect(await operators().list()).toHaveLength(1)
  })
})
