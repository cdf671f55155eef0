/** A settlement that the database does not take: it is seen, and it holds up no stop. */
import { expect, test } from 'vitest'
import { openGatewayProcesses } from '../packages/server/testing/gateway-process.ts'
import { openPostgresSession } from '../packages/server/testing/postgres-session.ts'
import { sendCompletion, startStubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { findPostgres } from '../packages/server/testing/test-database.ts'
import { QUESTION } from './events-of.ts'
import { createGate } from './open-stream.ts'

test.skipIf(findPostgres() === null)(
  'is logged by its request, degrades health, and ends a stop with a code',
  async () => {
    const stub = await startStubUpstream()
    const processes = await openGatewayProcesses({
      ...{ engine: 'postgres', upstreamUrl: stub.url, credits: '1000' },
      file: { limits: { lease_ms: 10_000, journal_ms: 1_000 } },
    })
    const gateway = await processes.start()
    const [asked, gate] = [createGate(), createGate()]
    stub.onChat = async (_call, response) => {
      asked.open()
      await gate.opened
      sendCompletion(response)
    }
    const answer = gateway.chat(QUESTION)
    await asked.opened
    const session = await openPostgresSession(processes.databaseUrl ?? '')
    await session.query('begin')
    await session.query('select * from balance for update')
    gate.open()
    const { status, headers } = await answer
    expect(status).toBe(503)
    const requestId = headers.get('x-request-id') ?? ''

    await expect.poll(() => gateway.output()).toContain('a settlement could not be written')
    const health = (await (await fetch(`${gateway.baseUrl}/health`)).json()) as { readonly database: string }
    expect(health.database).not.toBe('ok')
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(3)
    const last = gateway.output().trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({ level: 'fatal', request_ids: [requestId], count: 1 })

    await session.query('rollback')
    await session.close()
    // The next process settles what was left; nothing is charged for an answer that nobody got.
    await processes.start()
    await processes.settled()
    expect((await processes.balance()).posted).toBe(1_000_000_000_000n)
    await processes.stop()
    await stub.close()
  },
)
