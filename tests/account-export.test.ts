/** Everything that is stored about an account, as an operator hands it out. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toFile } from 'openai'
import { expect, test } from 'vitest'
import { openAdmin } from '../packages/server/src/app/open-admin.ts'
import { limitsSchema } from '../packages/server/src/config/limits-config.ts'
import { runAdmin } from '../packages/server/src/operations/commands/admin-program.ts'
import { sendCompletion } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chatLines, clientOf, ended, startBatch } from './batch-stage.ts'

describeEachEngine('an export of an account', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url }))

  test('has its people, keys, requests, files and batches, and no secret', async () => {
    stub.onChat = (_call, response) => sendCompletion(response)
    const client = clientOf(gateway)
    const batch = await ended(client, await startBatch(client, chatLines(2)).then(({ id }) => id))
    const file = await toFile(Buffer.from('{}'), 'of-mine.jsonl')
    await client.files.create({ file, purpose: 'batch' })

    const folder = await mkdtemp(join(tmpdir(), 'svc-export-'))
    const to = join(folder, 'account.json')
    const { databaseUrl, dataDir, accountId } = gateway
    const errors: string[] = []
    const run = (...words: readonly string[]) =>
      runAdmin(
        {
          open: () =>
            openAdmin({ databaseUrl, dataDir, peppers: null, limits: limitsSchema.parse({}), limitsOfFile: new Set() }),
          migrate: () => Promise.reject(new Error('nothing is migrated here')),
          print: () => undefined,
          printError: (text) => void errors.push(text),
        },
        words,
      )
    const words = ['account', 'export', accountId, '--reason', 'asked for it', '--to', to]
    expect([await run(...words), errors]).toEqual([0, []])
    const text = await readFile(to, 'utf8')
    const exported = JSON.parse(text)
    expect(exported).toMatchObject({
      format: 'svc-account-export/1',
      account: { account_id: accountId },
      keys: [{ key_id: gateway.keyId }],
      batches: [{ batch_id: batch.id, lines_total: 2 }],
    })
    expect(exported.requests).toHaveLength(2)
    expect(exported.files.map(({ filename }: { readonly filename: string }) => filename)).toContain('of-mine.jsonl')
    expect(exported).toHaveProperty('stored_responses', [])
    expect(exported).toHaveProperty('invitations', [])
    expect(exported).toHaveProperty('passkeys', [])
    expect(exported).toHaveProperty('billing_details', [])
    expect(exported).toHaveProperty('invoices', [])
    expect(text).not.toContain(gateway.key)
    expect((await stat(to)).mode & 0o777).toBe(0o600)
    // It never writes over a file.
    expect(await run(...words)).toBe(1)
    expect(errors.join()).toContain('cannot be made')
    // An account that is not there leaves nothing behind.
    const unknown = ['account', 'export', accountId.replace(/^.{8}/, '00000000'), '--reason', 'x']
    expect(await run(...unknown, '--to', join(folder, 'none.json'))).toBe(1)
    expect(await readdir(folder)).toEqual(['account.json'])
    await rm(folder, { recursive: true })
  })
})
