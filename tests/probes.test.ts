/** The probes: a gateway says when it can take requests, and when it cannot. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../packages/server/src/config/load-config.ts'
import { createGateway, type Gateway } from '../packages/server/src/app/gateway.ts'
import { readReadiness, LEDGER_QUEUE_READY_MAX, askInTime } from '../packages/server/src/app/read-readiness.ts'
import { createLogger } from '../packages/server/src/platform/runtime/log.ts'
import { startStubUpstream, beginStream, chunkText, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import { startTcpProxy } from '../packages/server/testing/tcp-proxy.ts'
import { findPostgres, openTestDatabase } from '../packages/server/testing/test-database.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

interface Probe {
  readonly status: number
  readonly body: unknown
}

async function probe(origin: string | null, path: string): Promise<Probe> {
  const response = await fetch(`${origin ?? 'http://the-admin-port-is-off.invalid'}${path}`)
  return { status: response.status, body: await response.json() }
}

const READY: Probe = { status: 200, body: { status: 'ready' } }
const notReady = (reason: string): Probe => ({ status: 503, body: { status: 'not_ready', reason } })

async function openGateway(env: Readonly<Record<string, string>>) {
  const workingDir = await mkdtemp(join(tmpdir(), 'svc-probes-'))
  const common = { SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_ADMIN_PORT: '0', SVC_DATA_DIR: workingDir }
  const { config } = loadConfig({ env: { ...common, ...env }, workingDir })
  const gateway: Gateway = await createGateway({
    config,
    log: createLogger({ level: 'silent', sink: { write: () => undefined } }),
  })
  return { gateway, remove: () => rm(workingDir, { recursive: true, force: true }) }
}

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

describe('the admin port', () => {
  test('is off unless it is named', async () => {
    const { gateway, remove } = await openGateway({ SVC_ADMIN_PORT: '' })
    closing.push(remove, () => gateway.stop())
    await gateway.start()
    expect(gateway.adminOrigin()).toBeNull()
  })

  test('is a loopback address unless a host is named', async () => {
    const { gateway, remove } = await openGateway({})
    closing.push(remove, () => gateway.stop())
    await gateway.start()
    expect(new URL(gateway.adminOrigin() ?? '').hostname).toBe('localhost')
  })

  test('serves its pages alone, and the public port serves none of them', async () => {
    const gateway = await startTestGateway({ env: { SVC_ADMIN_PORT: '0' } })
    closing.push(() => gateway.stop())
    const admin = gateway.gateway.adminOrigin()
    expect(await probe(admin, '/live')).toEqual({ status: 200, body: { status: 'live' } })
    expect(await probe(admin, '/ready')).toEqual(READY)
    expect(await probe(admin, '/api/health')).toEqual({ status: 404, body: { status: 'not_found' } })
    const written = await fetch(`${admin}/metrics`, { method: 'POST', body: 'x' })
    expect(written.status).toBe(405)
    const origin = gateway.baseUrl.replace(/\/api$/, '')
    for (const path of ['/metrics', '/live', '/ready', '/api/metrics', '/api/live', '/api/ready']) {
      expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 404])
    }
  })
})

describe('readiness', () => {
  test('a gateway is ready from the moment it listens until it has to stop, which it says to the end', async () => {
    const stub = await startStubUpstream()
    closing.push(() => stub.close())
    const gateway = await startTestGateway({ upstreamUrl: stub.url, env: { SVC_ADMIN_PORT: '0' } })
    const admin = gateway.gateway.adminOrigin()
    expect(await probe(admin, '/ready')).toEqual(READY)
    const { promise: last, resolve: sendLast } = Promise.withResolvers<void>()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
      await last
      sendEvent(response, chunkText({}, 'stop'))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const body = { model: 'openrouter/openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], stream: true }
    const answer = await gateway.chat(body)
    const stopped = gateway.gateway.stop()
    expect(await probe(admin, '/ready')).toEqual(notReady('stopping'))
    expect(await probe(admin, '/live')).toEqual({ status: 200, body: { status: 'live' } })
    sendLast()
    await answer.text()
    await stopped
    await expect(fetch(`${admin}/live`)).rejects.toThrow('fetch failed')
  })

  test('a gateway that starts is alive and not ready, and so is one with too long a queue', async () => {
    const pingDatabase = async (): Promise<true> => true
    const sources = { phase: () => 'serving' as const, pingDatabase, ledgerQueue: () => 0 }
    expect(await readReadiness(sources)).toEqual({ ready: true, reason: null })
    expect(await readReadiness({ ...sources, phase: () => 'starting' })).toEqual({ ready: false, reason: 'starting' })
    expect(await readReadiness({ ...sources, ledgerQueue: () => LEDGER_QUEUE_READY_MAX })).toMatchObject({
      ready: true,
    })
    const queue = { ...sources, ledgerQueue: () => LEDGER_QUEUE_READY_MAX + 1 }
    expect(await readReadiness(queue)).toEqual({ ready: false, reason: 'ledger_queue' })
  })

  test('a database that hangs is asked once, however many probes come', async () => {
    let asked = 0
    const { promise: answered, resolve: answer } = Promise.withResolvers<true>()
    const ask = askInTime(() => {
      asked++
      return answered
    }, 50)
    expect(await Promise.all([ask(), ask()])).toEqual([null, null])
    expect(await ask()).toBeNull()
    expect(asked).toBe(1)
    answer(true)
    expect(await ask()).toBe(true)
  })

  test.skipIf(findPostgres() === null)('a gateway without its database is not ready until it is back', async () => {
    const database = await openTestDatabase('postgres')
    closing.push(() => database.close())
    const proxy = await startTcpProxy(database.url ?? '')
    closing.push(() => proxy.close())
    const { gateway, remove } = await openGateway({ SVC_DATABASE_URL: proxy.through(database.url ?? '') })
    closing.push(remove, () => gateway.stop())
    await gateway.start()
    const admin = gateway.adminOrigin()
    expect(await probe(admin, '/ready')).toEqual(READY)
    proxy.stall()
    expect(await gateway.health()).toMatchObject({ status: 'down', database: 'down' })
    expect(await probe(admin, '/ready')).toEqual(notReady('database'))
    const metrics = await (await fetch(`${admin}/metrics`)).text()
    expect(metrics).toMatch(/^svc_database_up 0$/m)
    expect(metrics).not.toMatch(/^svc_database_holds_open /m)
    expect(await probe(admin, '/live')).toEqual({ status: 200, body: { status: 'live' } })
    await proxy.heal()
    await eventually(async () => expect(await probe(admin, '/ready')).toEqual(READY))
    expect(await gateway.health()).toMatchObject({ status: 'ok', database: 'ok' })
  })
})
