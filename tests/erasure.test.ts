/**
 * An account that is erased: nothing in the database names its people any more, and the books, the ledger log and the
 * receipts that its owner kept are as they were. Source: decision 0161.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { toFile } from 'openai'
import { expect, test } from 'vitest'
import { parseReceipt } from '@svc/contract/log/receipt'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseVerifierKey } from '@svc/contract/log/signed-note'
import { verifyReceipt } from '@svc/contract/log/verify-receipt'
import { createPasskeyStore } from '../packages/server/src/access/sign-in/passkey-store.ts'
import { createSecondFactorStore } from '../packages/server/src/access/sign-in/second-factor-store.ts'
import { createTeamStore } from '../packages/server/src/access/teams/team-store.ts'
import { openErasing } from '../packages/server/src/app/open-erasing.ts'
import { createDepositStore } from '../packages/server/src/deposits/deposit-store.ts'
import { sha256 } from '../packages/server/src/money/ledger-log/entry-facts.ts'
import { eraseAccount, type Erasure } from '../packages/server/src/operations/actions/erase-account.ts'
import { createFileVault } from '../packages/server/src/uploads/file-vault.ts'
import { forgetFiles } from '../packages/server/src/uploads/forget-files.ts'
import { createStoredFileStore } from '../packages/server/src/uploads/stored-file-store.ts'
import type { BrowserSession } from '../packages/server/testing/browser-session.ts'
import { creditedDeposit } from '../packages/server/testing/credited-deposit.ts'
import { dumpRows } from '../packages/server/testing/dump-database.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { grantCredits } from '../packages/server/testing/gateway-books.ts'
import { heldBackDeposit, waitingMail } from '../packages/server/testing/operator-scene.ts'
import { openPerson, peopleEnv, refusalOf, signInByMail, visitOf } from '../packages/server/testing/people.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'
import { nanocreditsOf } from '../packages/contract/src/index.ts'
import { chatLines, clientOf, ended, startBatch } from './batch-stage.ts'

const OWNER = 'ada-erased@example.com'
const COLLEAGUE = 'grace-stays@example.com'
const INVITED = 'invited-erased@example.com'
/** What no row may hold afterwards. */
const NAMES = [
  OWNER,
  INVITED,
  'ada-erased',
  'Lovelace Works',
  'Ada’s laptop',
  'of-ada.jsonl',
  'batch-of-ada',
  'Ada’s passkey',
]

describeEachEngine('an account that is erased', (engine) => {
  const mail = useMailServer()
  const gateway = useGateway(() => ({ engine, env: peopleEnv(mail) }))
  const database = () => gateway.gateway.database
  let owner: BrowserSession
  let team = { teamId: '', accountId: '', base: '' }
  let key = ''
  let receipt = ''

  const erasing = () => {
    const { ledger, clock, operators } = gateway.gateway
    return openErasing(database(), { ledger, clock, journal: operators.journal })
  }
  const BY = { operatorId: null, name: 'operator', way: 'command' } as const
  const erase = (more: Partial<Erasure> = {}) =>
    eraseAccount(erasing(), BY, { accountId: team.accountId, reason: 'asked for it', forfeitsCredits: false, ...more })
  const ask = (body: object) => owner.call('POST', `${team.base}/erase`, body)
  const dump = () => dumpRows({ engine, database: database() })
  const booked = () => database().read.selectFrom('transfer').selectAll().orderBy('transfer_id').execute()
  const filesOnDisk = () => readdir(join(gateway.dataDir, 'media'))

  async function openTeam(): Promise<void> {
    owner = await signInByMail(gateway, mail, OWNER)
    const { teams } = await owner.json<{ teams: { id: string; account_id: string }[] }>('GET', '/console/session')
    const [{ id: teamId, account_id: accountId }] = teams as [{ id: string; account_id: string }]
    team = { teamId, accountId, base: `/console/teams/${teamId}` }
    await owner.json('PATCH', team.base, { name: 'Lovelace Works' })
    await grantCredits(gateway.gateway, accountId, nanocreditsOf(900_000_000_000n))
    const made = await owner.json<{ key: string }>('POST', `${team.base}/keys`, {
      name: 'Ada’s laptop',
      kind: 'personal',
    })
    key = made.key
  }

  async function useIt(): Promise<void> {
    await owner.json('POST', `${team.base}/response-storage`, { is_on: true })
    await owner.json('POST', `${team.base}/invitations`, { email: INVITED, role: 'admin' })
    await owner.json('POST', `${team.base}/alert`, { credits: '5' })
    const client = clientOf(gateway, key)
    const response = await client.responses.create({ model: 'svc-gpt', input: 'Hello!', max_output_tokens: 16 })
    expect(response.id).not.toBe('')
    await client.files.create({ file: await toFile(Buffer.from('{}'), 'of-ada.jsonl'), purpose: 'batch' })
    const { id } = await startBatch(client, chatLines(1), { metadata: { name: 'batch-of-ada' } })
    await ended(client, id)
    const chat = await gateway.chat(
      { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 8 },
      { key },
    )
    await chat.text()
    receipt = await eventually(async () => {
      const found = await gateway.fetch(`/v1/receipts/${chat.headers.get('x-request-id')}`, { key })
      expect(found.status).toBe(200)
      return found.text()
    })
  }

  test('is refused while something is under way or left, and changes nothing then', async () => {
    await openTeam()
    await useIt()
    const held = await heldBackDeposit(database(), team.accountId)
    await waitingMail(database(), team.accountId)
    const stranger = await signInByMail(gateway, mail, COLLEAGUE)
    const { user } = await visitOf(stranger)
    const store = createTeamStore(database())
    await store.addMember({ teamId: team.teamId, userId: user?.id ?? '', role: 'admin', createdAt: 1 })
    const body = { team_name: 'Lovelace Works', forfeits_credits: false }
    expect(await refusalOf(await stranger.call('POST', `${team.base}/erase`, body))).toEqual([403, 'role_denied'])
    expect((await stranger.call('GET', `${team.base}/export`)).status).toBe(403)
    expect(await refusalOf(await openPerson(gateway).call('POST', `${team.base}/erase`, body))).toEqual([
      401,
      'not_signed_in',
    ])
    expect(await refusalOf(await ask({ ...body, team_name: 'Lovelace' }))).toEqual([400, 'invalid_value'])
    const inUse = await ask(body)
    expect(await inUse.json()).toMatchObject({
      error: { code: 'account_in_use', message: 'The account has 1 pending deposit: wait until all has ended.' },
    })
    const rejected = { state: 'rejected', reason: null, note: null } as const
    await createDepositStore(database()).change(held, ['under_review'], rejected, 4)
    expect(await refusalOf(await ask(body))).toEqual([409, 'credits_left'])
    expect(await erase()).toMatchObject({ kind: 'has_credits' })
    expect((await gateway.fetch('/v1/balance', { key })).status).toBe(200)
    expect((await visitOf(owner)).user).toMatchObject({ email: OWNER })
    // A team that is another's: the owner of one is not the owner of all.
    await database().write([
      database()
        .read.insertInto('team')
        .values({ team_id: 'another', account_id: team.accountId, name: 'Another', created_at: 1 })
        .compile(),
    ])
    expect(await refusalOf(await ask({ ...body, forfeits_credits: true }))).toEqual([403, 'role_denied'])
    await database().write([database().read.deleteFrom('team').where('team_id', '=', 'another').compile()])
  })

  test('has an export for its owner, before', async () => {
    const response = await owner.call('GET', `${team.base}/export`)
    expect(response.headers.get('content-disposition')).toContain(`account-${team.accountId}`)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ format: 'svc-account-export/1', account: { account_id: team.accountId } })
    expect(text).toContain(OWNER)
    expect(text).not.toContain(key)
  })

  test('keeps the books, and names no person', async () => {
    await creditedDeposit(gateway.gateway, team.accountId)
    const userId = (await visitOf(owner)).user?.id ?? ''
    await createSecondFactorStore(database()).begin(userId, 'sealed', 1)
    const passkey = {
      passkeyId: 'of-ada',
      userId,
      credentialId: 'of-ada',
      publicKey: 'x',
      counter: 0,
      rpId: 'localhost',
    }
    const seen = { transports: [], isBackedUp: false, name: 'Ada’s passkey', addedAt: 1, lastUsedAt: null }
    await createPasskeyStore(database()).insert({ ...passkey, ...seen }, 1)
    expect(await (await owner.call('GET', `${team.base}/export`)).text()).toContain('Ada’s passkey')
    const before = await booked()
    expect(await filesOnDisk()).not.toEqual([])
    for (const name of NAMES) expect([name, (await dump()).includes(name)]).toEqual([name, true])

    expect((await ask({ team_name: 'Lovelace Works', forfeits_credits: true })).status).toBe(200)

    const text = await dump()
    for (const name of NAMES) expect([name, text.includes(name)]).toEqual([name, false])
    expect(text).toContain(COLLEAGUE)
    expect((await visitOf(owner)).user).toBeNull()
    expect((await gateway.fetch('/v1/balance', { key })).status).toBe(401)
    // One line more, of what was given up.
    const after = await booked()
    expect(after.filter(({ transfer_id: id }) => before.some((row) => row.transfer_id === id))).toEqual(before)
    expect(after.slice(before.length)).toMatchObject([{ kind: 'adjustment', account_id: team.accountId }])
    await gateway.audit()
    const parsed = parseReceipt(receipt)
    if ('problem' in parsed) throw new Error(parsed.problem.message)
    const keys = (await (await gateway.fetch('/log/key')).text()).trim().split('\n')
    const known = keys.map((line) => parseVerifierKey(sha256, line)!)
    expect(verifyReceipt(nodeCrypto, parsed.receipt, known).filter(({ holds }) => !holds)).toEqual([])
  })

  test('has its bytes removed by a gateway, and is erased again without an effect', async () => {
    const store = createStoredFileStore(database())
    const vault = createFileVault({ files: gateway.gateway.media.files, secrets: [{ version: 1, secret: 'any' }] })
    await forgetFiles({ store, vault }, Date.now())
    expect(await filesOnDisk()).toEqual([])
    expect(await database().read.selectFrom('stored_file').selectAll().execute()).toEqual([])
    const before = await booked()
    expect(await erase()).toEqual({ kind: 'already_erased', forfeited: 0n })
    expect(await booked()).toEqual(before)
    expect(await erase({ accountId: 'none' })).toEqual({ kind: 'unknown_account' })
  })

  test('that a crash has left half erased is erased by a repeat', async () => {
    const half = await createTestAccount(gateway.gateway, '5', 'Half erased')
    const deps = erasing()
    const dying = { ...deps, store: { ...deps.store, erase: () => Promise.reject(new Error('gone')) } }
    const erasure = { accountId: half.accountId, reason: 'asked for it', forfeitsCredits: true }
    await expect(eraseAccount(dying, BY, erasure)).rejects.toThrow('gone')
    expect(await dump()).toContain('Half erased')
    expect(await eraseAccount(deps, BY, erasure)).toEqual({ kind: 'erased', forfeited: 0n })
    expect(await dump()).not.toContain('Half erased')
    await gateway.audit()
  })

  test('of several who do it at once is erased by one', async () => {
    const other = await createTestAccount(gateway.gateway, '5', 'Several at once')
    const results = await Promise.all([1, 2, 3].map(() => erase({ accountId: other.accountId, forfeitsCredits: true })))
    const kinds = new Set(results.map(({ kind }) => kind))
    expect([...kinds].every((kind) => ['erased', 'already_erased', 'in_use'].includes(kind))).toBe(true)
    expect(await erase({ accountId: other.accountId })).toMatchObject({ kind: 'already_erased' })
    expect(await dump()).not.toContain('Several at once')
    await gateway.audit()
  })
})
