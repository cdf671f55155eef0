/**
 * Settlements that the database does not take, over the life of processes: nothing that a client saw is lost with one.
 */
import { readdirSync } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type TestProcess,
  type GatewayProcesses,
  openGatewayProcesses,
} from '../../packages/server/testing/gateway-process.ts'
import { openPostgresSession } from '../../packages/server/testing/postgres-session.ts'
import { sendCompletion } from '../../packages/server/testing/stub-upstream.ts'
import { describeEachEngine, findPostgres } from '../../packages/server/testing/test-database.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'
import { createDatabaseFault } from '../database-faults.ts'
import { QUESTION } from '../events-of.ts'
import { chargeIn, createGate } from '../open-stream.ts'

/** Credits of the account, in nanocredits. */
const CREDITS = 1_000_000_000_000n

const stub = useStubUpstream()
let processes: GatewayProcesses
afterEach(() => processes.stop())

const open = (engine: 'sqlite' | 'postgres') =>
  openGatewayProcesses({
    ...{ engine, upstreamUrl: stub.url, credits: '1000' },
    file: { limits: { lease_ms: 10_000, journal_ms: 1_000 } },
  })

/** Waits until the server asks for nothing any more that a killed process has left with it. */
async function untilNobodyWaits(): Promise<void> {
  if (processes.databaseUrl === null) return
  const session = await openPostgresSession(processes.databaseUrl)
  const query = `select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => Number((await session.query(query))[0]?.['waiting']), { timeout: 20_000 }).toBe(0)
  await session.close()
}

/** Keeps writers away from the balances, whichever the engine. @returns what lets them in again. */
async function lockBalances(): Promise<() => Promise<void>> {
  if (processes.databaseUrl === null) {
    const fault = createDatabaseFault('sqlite', () => processes.dataDir)
    await fault.begin()
    return () => fault.end()
  }
  const session = await openPostgresSession(processes.databaseUrl)
  await session.query('begin')
  await session.query('select * from balance for update')
  return async () => {
    await session.query('rollback')
    await session.close()
  }
}

/** Sends chats, and keeps the settlements away while their upstreams work. */
async function answersWithoutBooks(gateway: TestProcess, count = 1, headers: Record<string, string> = {}) {
  const gate = createGate()
  const all = createGate()
  let asked = 0
  stub.onChat = async (_call, response) => {
    asked += 1
    if (asked === count) all.open()
    await gate.opened
    sendCompletion(response)
  }
  const sent = Array.from({ length: count }, () => gateway.chat(QUESTION, { headers }))
  await all.opened
  const unlock = await lockBalances()
  gate.open()
  const answers = await Promise.all(
    sent.map(async (each) => {
      const response = await each
      const requestId = response.headers.get('x-request-id') ?? ''
      return { status: response.status, text: await response.text(), requestId }
    }),
  )
  return { answers, unlock }
}

const lastLine = (gateway: TestProcess): Record<string, unknown> =>
  JSON.parse(gateway.output().trim().split('\n').at(-1) ?? '') as Record<string, unknown>
const folder = (): string => join(processes.dataDir, 'settlements')
const journals = (): string[] => readdirSync(folder()).filter((name) => name.endsWith('.journal'))
const journal = (): string => join(folder(), journals()[0] ?? 'none')

describeEachEngine('a settlement that waits in a file', (engine) => {
  beforeEach(async () => {
    processes = await open(engine)
  })

  test('holds up no stop, and is written by the next start', async () => {
    const gateway = await processes.start()
    const { answers, unlock } = await answersWithoutBooks(gateway)
    const [{ text, status, requestId }] = answers as [(typeof answers)[0]]
    expect(status).toBe(200)
    expect(text).toContain('"state":"pending"')
    const read = await gateway.fetch(`/v1/usage/${requestId}`)
    expect(((await read.json()) as { readonly state: string }).state).toBe('pending')
    const health = (await (await fetch(`${gateway.baseUrl}/health`)).json()) as { readonly database: string }
    expect(health.database).not.toBe('ok')
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(0)
    expect(gateway.output()).toContain('settlements wait in a file')
    expect(gateway.output()).toContain(journal())

    await unlock()
    await processes.start()
    await processes.settled()
    expect(await processes.balance()).toEqual({ posted: CREDITS - chargeIn(text), held: 0n })
    await expect.poll(journals).toEqual([])
  })

  test('is written once by the next start after its process was killed, however the file ends', async () => {
    const gateway = await processes.start()
    const { answers, unlock } = await answersWithoutBooks(gateway, 2)
    gateway.signal('SIGKILL')
    await gateway.exited
    await untilNobodyWaits()
    await unlock()
    const path = journal()
    const whole = await readFile(path)
    // The process died over a third record.
    await appendFile(path, whole.subarray(0, 100))
    const next = await processes.start()
    await processes.settled()
    const told = answers.reduce((sum, { text }) => sum + chargeIn(text), 0n)
    expect(await processes.balance()).toEqual({ posted: CREDITS - told, held: 0n })
    // With its lock.
    await expect.poll(() => readdirSync(folder()).filter((name) => name.includes('.journal'))).toEqual([])

    // A copy of the file comes back: everything in it is settled already.
    await writeFile(path, whole)
    next.signal('SIGTERM')
    await next.exited
    await processes.start()
    await expect.poll(journals).toEqual([])
    expect(await processes.balance()).toEqual({ posted: CREDITS - told, held: 0n })
  })

  test('whose file is damaged is reported, and the others in it are written', async () => {
    const gateway = await processes.start()
    const { answers, unlock } = await answersWithoutBooks(gateway, 2)
    gateway.signal('SIGKILL')
    await gateway.exited
    await untilNobodyWaits()
    await unlock()
    const path = journal()
    const lines = (await readFile(path, 'utf8')).split('\n')
    const [first = '', second = ''] = lines
    await writeFile(path, [first.replace('"charge"', '"charqe"'), second, ''].join('\n'))
    const next = await processes.start()
    expect(next.output()).toContain('settlements in a file cannot be read')
    await processes.settled()
    const [kept] = answers.filter(({ requestId }) => second.includes(requestId))
    expect((await processes.balance()).posted).toBe(CREDITS - chargeIn(kept?.text ?? ''))
    expect(readdirSync(folder()).filter((name) => name.endsWith('.kept'))).toHaveLength(1)
  })
})

describe.skipIf(findPostgres() === null)('settlements on PostgreSQL', () => {
  beforeEach(async () => {
    processes = await open('postgres')
  })

  test('of a process that lives are left to it, and those of a dead one are written by another on its folder', async () => {
    const [first, second] = [await processes.start(), await processes.start()]
    const one = await answersWithoutBooks(first)
    await one.unlock()
    await processes.settled()
    const two = await answersWithoutBooks(first)
    first.signal('SIGKILL')
    await first.exited
    await untilNobodyWaits()
    await two.unlock()
    await processes.settled()
    const told = chargeIn(one.answers[0]?.text ?? '') + chargeIn(two.answers[0]?.text ?? '')
    expect(await processes.balance()).toEqual({ posted: CREDITS - told, held: 0n })
    // The server may have taken the settlement from a connection of the dead process: its file is found all the same.
    await expect
      .poll(() => second.output(), { timeout: 20_000 })
      .toContain('a process that is gone has left settlements')
    await expect.poll(journals, { timeout: 20_000 }).toEqual([])
    expect((await processes.balance()).posted).toBe(CREDITS - told)
  })

  test('that the disk does not take either are logged by their request, degrade health, and end a stop with a code', async () => {
    const gateway = await processes.start()
    // No folder can be made where a file is.
    await writeFile(folder(), '')
    const { answers, unlock } = await answersWithoutBooks(gateway)
    const [{ status, requestId }] = answers as [(typeof answers)[0]]
    expect(status).toBe(503)
    await expect.poll(() => gateway.output()).toContain('a settlement could not be written')
    const health = (await (await fetch(`${gateway.baseUrl}/health`)).json()) as { readonly database: string }
    expect(health.database).not.toBe('ok')
    gateway.signal('SIGTERM')
    expect(await gateway.exited).toBe(3)
    expect(lastLine(gateway)).toMatchObject({ level: 'fatal', request_ids: [requestId], count: 1 })

    await unlock()
    await rm(folder())
    // The next process settles what was left; nothing is charged for an answer that no client got.
    await processes.start()
    await processes.settled()
    expect((await processes.balance()).posted).toBe(CREDITS)
  })
})
