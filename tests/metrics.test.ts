/** What an operator sees of a running gateway: the figures of `/metrics` after known traffic, and the probes. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOutflowStore } from '../packages/server/src/deposits/outflow-store.ts'
import { createOutboxStore } from '../packages/server/src/platform/mail/outbox-store.ts'
import { VERSION } from '../packages/server/src/platform/runtime/version.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  startStubUpstream,
  type StubUpstream,
} from '../packages/server/testing/stub-upstream.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { heldBackDeposit } from '../packages/server/testing/operator-scene.ts'
import { chatLines, clientOf, ended, requestLine, startBatch } from './batch-stage.ts'

const MODEL = 'openrouter/openai/gpt-4o-mini'
const MESSAGES = [{ role: 'user', content: 'Say hello.' }]

/** The samples of a scrape: each line's name with its labels, and its value. */
async function scrape(origin: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${origin}/metrics`)
  expect(response.status).toBe(200)
  const text = await response.text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

function adminOf(gateway: TestGateway): string {
  const origin = gateway.gateway.adminOrigin()
  if (origin === null) throw new Error('the admin port is off')
  return origin
}

describe('metrics', () => {
  let stub: StubUpstream
  let gateway: TestGateway
  let admin: string

  beforeEach(async () => {
    stub = await startStubUpstream()
    gateway = await startTestGateway({ upstreamUrl: stub.url, env: { SVC_ADMIN_PORT: '0' } })
    admin = adminOf(gateway)
  })

  afterEach(async () => {
    await gateway.stop()
    await stub.close()
  })

  const chat = (more: object = {}) => gateway.chat({ model: MODEL, messages: MESSAGES, ...more })
  const of = (name: string, labels: string): string => `${name}{model="${MODEL}",upstream="default"${labels}}`
  const ROUTE = '/api/v1/chat/completions'

  test('a whole answer is counted with its tokens and its charge', async () => {
    stub.onChat = (_call, response) =>
      sendCompletion(response, { usage: { prompt_tokens: 10, completion_tokens: 5 }, cost: '0.001' })
    expect((await chat()).status).toBe(200)
    await gateway.settled()
    const now = await scrape(admin)
    expect(now.get(of('svc_chat_requests_total', ',status="ok"'))).toBe(1)
    expect(now.get(of('svc_chat_tokens_total', ',kind="prompt"'))).toBe(10)
    expect(now.get(of('svc_chat_tokens_total', ',kind="completion"'))).toBe(5)
    // 0.001 USD is one credit, and a fifth on it.
    expect(now.get(of('svc_chat_credits_charged_total', ''))).toBeCloseTo(1.2, 9)
    expect(now.get('svc_credits_charged_total')).toBeCloseTo(1.2, 9)
    expect(now.get(of('svc_chat_duration_seconds_count', ''))).toBe(1)
    expect(now.get('svc_upstream_calls_total{upstream="default",operation="complete",outcome="ok"}')).toBe(1)
    expect(now.get('svc_upstream_calls_in_flight{upstream="default"}')).toBe(0)
    expect(now.get(`svc_http_requests_total{route="${ROUTE}",method="POST",status="2xx"}`)).toBe(1)
    expect(now.get(`svc_http_request_duration_seconds_count{route="${ROUTE}"}`)).toBe(1)
    expect(now.get('svc_ledger_operations_total{kind="place"}')).toBe(1)
    expect(now.get('svc_ledger_operations_total{kind="settle"}')).toBe(1)
    expect(now.get('svc_holds_ended_total{end="captured"}')).toBe(1)
    expect(now.get('svc_holds_open')).toBe(0)
    expect(now.get('svc_database_holds_open')).toBe(0)
    expect(now.get(`svc_build_info{version="${VERSION}",node="${process.versions.node}"}`)).toBe(1)
  })

  test('batches of requests are counted by their lines and their states, and files by their bytes', async () => {
    stub.onChat = ({ json }, response) =>
      json?.['seed'] === 1 ? void response.writeHead(400).end('{}') : sendCompletion(response)
    const client = clientOf(gateway)
    const lines = [...chatLines(3, MODEL), requestLine('bad', { model: MODEL, messages: MESSAGES, seed: 1 })]
    const batch = await ended(client, (await startBatch(client, lines)).id)
    const wrong = await ended(client, (await startBatch(client, ['no JSON'])).id)
    expect([batch.status, wrong.status]).toEqual(['completed', 'failed'])
    const now = await scrape(admin)
    expect(now.get('svc_batch_lines_total{outcome="completed"}')).toBe(3)
    expect(now.get('svc_batch_lines_total{outcome="failed"}')).toBe(1)
    expect(now.get('svc_batches_ended_total{state="completed"}')).toBe(1)
    expect(now.get('svc_batches_ended_total{state="failed"}')).toBe(1)
    expect([...now.keys()].filter((name) => name.startsWith('svc_database_batches_open'))).toEqual([])
    expect(now.get('svc_database_files{purpose="batch"}')).toBe(2)
    expect(now.get('svc_database_files{purpose="batch_output"}')).toBe(2)
    const text = `${lines.join('\n')}\n`
    expect(now.get('svc_database_file_bytes{purpose="batch"}')).toBe(text.length + 'no JSON\n'.length)
  })

  test('batches are counted with their operations, and each has its duration', async () => {
    await Promise.all([chat(), chat(), chat()])
    await gateway.settled()
    const now = await scrape(admin)
    const batches = now.get('svc_ledger_batches_total') ?? 0
    expect(batches).toBeGreaterThan(0)
    expect(now.get('svc_ledger_batch_operations_count')).toBe(batches)
    expect(now.get('svc_ledger_batch_operations_bucket{le="+Inf"}')).toBe(batches)
    expect(now.get('svc_ledger_commit_duration_seconds_count')).toBe(batches)
    const kinds = [...now].filter(([name]) => name.startsWith('svc_ledger_operations_total'))
    const operations = kinds.reduce((sum, [, value]) => sum + value, 0)
    expect(now.get('svc_ledger_batch_operations_sum')).toBe(operations)
    expect(now.get('svc_ledger_commit_failures_total')).toBe(0)
    expect(now.get('svc_ledger_retries_total')).toBe(0)
  })

  test('an open stream is seen while it runs, with its hold, and its first content when it is over', async () => {
    const { promise: last, resolve: sendLast } = Promise.withResolvers<void>()
    stub.onChat = async (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
      await last
      sendEvent(response, chunkText({}, 'stop'))
      sendEvent(response, '[DONE]')
      response.end()
    }
    const answer = await chat({ stream: true })
    const open = await scrape(admin)
    expect(open.get('svc_streams_open')).toBe(1)
    expect(open.get('svc_holds_open')).toBe(1)
    expect(open.get('svc_database_holds_open')).toBe(1)
    expect(open.get('svc_database_holds_open_credits')).toBeCloseTo(open.get('svc_holds_open_credits') ?? 0, 9)
    expect(open.get('svc_holds_open_credits')).toBeCloseTo(Number((await gateway.balance()).held) / 1e9, 9)
    expect(open.get('svc_holds_oldest_age_seconds')).toBeGreaterThanOrEqual(0)
    expect(open.get('svc_upstream_calls_in_flight{upstream="default"}')).toBe(1)
    sendLast()
    await answer.text()
    await gateway.settled()
    const over = await scrape(admin)
    expect(over.get('svc_streams_open')).toBe(0)
    expect(over.get('svc_holds_open')).toBe(0)
    expect(over.get('svc_holds_oldest_age_seconds')).toBe(0)
    expect(over.get(of('svc_chat_first_content_seconds_count', ''))).toBe(1)
    expect(over.get('svc_upstream_calls_total{upstream="default",operation="stream",outcome="ok"}')).toBe(1)
  })

  test('a caller who hangs up is an aborted request and a stopped call, and no failure', async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
    }
    const gone = new AbortController()
    const answer = await gateway.chat({ model: MODEL, messages: MESSAGES, stream: true }, { signal: gone.signal })
    await answer.body?.getReader().read()
    gone.abort()
    await eventually(async () => {
      const now = await scrape(admin)
      expect(now.get(of('svc_chat_requests_total', ',status="cancelled"'))).toBe(1)
      expect(now.get(`svc_http_requests_total{route="${ROUTE}",method="POST",status="aborted"}`)).toBe(1)
      expect(now.get('svc_upstream_calls_total{upstream="default",operation="stream",outcome="stopped"}')).toBe(1)
    })
  })

  test('a failure of the upstream is counted by its kind and its code, and its cost as written off', async () => {
    stub.onChat = (_call, response) => void response.writeHead(500).end('{}')
    expect((await chat()).status).toBe(502)
    stub.onChat = (_call, response) => sendCompletion(response, { text: null, cost: '0.002' })
    expect((await chat()).status).toBe(502)
    await gateway.settled()
    const now = await scrape(admin)
    expect(now.get(of('svc_chat_requests_total', ',status="error"'))).toBe(2)
    expect(now.get(of('svc_chat_errors_total', ',code="upstream_error"'))).toBe(1)
    expect(now.get(of('svc_chat_errors_total', ',code="upstream_empty"'))).toBe(1)
    expect(now.get('svc_upstream_calls_total{upstream="default",operation="complete",outcome="failed"}')).toBe(1)
    expect(now.get('svc_http_errors_total{code="upstream_error"}')).toBe(1)
    expect(now.get(`svc_http_requests_total{route="${ROUTE}",method="POST",status="5xx"}`)).toBe(2)
    expect(now.get('svc_write_offs_total')).toBe(1)
    expect(now.get('svc_write_off_credits_total')).toBeCloseTo(2, 9)
    expect(now.get('svc_holds_ended_total{end="released"}')).toBe(2)
    expect(now.get('svc_credits_charged_total')).toBe(0)
  })

  test('a request that costs more than its hold is an overrun', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { cost: '3' })
    expect((await chat({ max_tokens: 10 })).status).toBe(200)
    await gateway.settled()
    const now = await scrape(admin)
    expect(now.get('svc_overruns_total')).toBe(1)
    expect(now.get(of('svc_chat_credits_charged_total', ''))).toBeCloseTo(3_600, 9)
  })

  test('402, 429 and unknown addresses are counted by code, and what a client made up is no label', async () => {
    const poor = await startTestGateway({
      upstreamUrl: stub.url,
      credits: '0.000001',
      env: { SVC_ADMIN_PORT: '0' },
      file: { limits: { requests_per_minute: 6 } },
    })
    try {
      const body = { model: MODEL, messages: MESSAGES, max_tokens: 1_000 }
      expect((await poor.chat(body)).status).toBe(402)
      expect((await poor.chat(body)).status).toBe(429)
      expect((await poor.fetch('/v1/made-up-by-somebody')).status).toBe(404)
      const now = await scrape(adminOf(poor))
      expect(now.get('svc_http_errors_total{code="insufficient_credits"}')).toBe(1)
      expect(now.get('svc_http_errors_total{code="rate_limit_exceeded"}')).toBe(1)
      expect(now.get('svc_http_errors_total{code="unknown_url"}')).toBe(1)
      expect([...now.keys()].filter((name) => name.includes('made-up'))).toEqual([])
    } finally {
      await poor.stop()
    }
  })

  test('no sample carries a key, an account, a prompt or a model of no list', async () => {
    const sandbox = await startTestGateway({ env: { SVC_ADMIN_PORT: '0' } })
    try {
      await sandbox.chat({ model: 'svc-sandbox/cut@3', messages: [{ role: 'user', content: 'a secret word' }] })
      await sandbox.chat({ model: 'svc-gpt', messages: [{ role: 'user', content: 'a secret word' }] })
      await sandbox.settled()
      const now = await scrape(adminOf(sandbox))
      const samples = [...now.keys()]
      expect(samples.filter((name) => name.includes('model="svc-gpt"'))).not.toEqual([])
      expect(samples.filter((name) => name.includes('model="other"'))).not.toEqual([])
      const secrets = [sandbox.key, sandbox.keyId, sandbox.accountId, sandbox.teamId, 'secret', 'svc-sandbox/']
      expect(samples.filter((name) => secrets.some((secret) => name.includes(secret)))).toEqual([])
    } finally {
      await sandbox.stop()
    }
  })

  test('emails that wait and coins on their way are seen, with their age', async () => {
    const { database, clock } = gateway.gateway
    const now = clock.now()
    const mail = {
      kind: 'funding_receipt',
      accountId: gateway.accountId,
      recipient: 'a@example.com',
      content: '{}',
    } as const
    const outbox = createOutboxStore(database)
    for (const [mailId, age] of [
      ['m1', 60_000],
      ['m2', 90_000],
      ['m3', 500_000],
    ] as const) {
      const at = now - age
      const ids = { mailId, topic: mailId, recipientHash: mailId }
      await outbox.insert({ ...mail, ...ids, now: at, firstAttemptAt: at, expiresAt: null }, [])
    }
    await outbox.end('m3', { state: 'sent', errorCode: null, now })
    const outflow = {
      chainId: 4663,
      asset: 'USDG',
      address: `0x${'1'.repeat(40)}`,
      txHash: null,
      amount: 1n,
      fee: 0n,
    } as const
    const nowhere = { blockNumber: null, blockHash: null }
    for (const [outflowId, state, age] of [
      ['o1', 'planned', 30_000],
      ['o2', 'sent', 40_000],
      ['o3', 'failed', 900_000],
    ] as const) {
      await createOutflowStore(database).insert(
        { ...outflow, ...nowhere, outflowId, state, address: `0x${outflowId.slice(1).repeat(40)}` },
        now - age,
      )
    }
    const samples = await scrape(admin)
    expect(samples.get('svc_database_batches_overdue_seconds')).toBe(0)
    expect(samples.get('svc_database_mail_waiting')).toBe(2)
    expect(samples.get('svc_database_mail_oldest_age_seconds')).toBeGreaterThanOrEqual(90)
    expect(samples.get('svc_database_mail_oldest_age_seconds')).toBeLessThan(500)
    expect(samples.get('svc_database_outflows{chain="4663",asset="USDG",state="sent"}')).toBe(1)
    expect(samples.get('svc_database_outflows{chain="4663",asset="USDG",state="failed"}')).toBe(1)
    // What failed is not under way, however old it is.
    expect(samples.get('svc_database_outflows_oldest_age_seconds')).toBeGreaterThanOrEqual(40)
    expect(samples.get('svc_database_outflows_oldest_age_seconds')).toBeLessThan(900)
  })

  test('what wakes an operator is there before it happens, so that the first time is seen as a rise', async () => {
    const samples = await scrape(admin)
    const counted = [
      ...['charged', 'written_off', 'lost'].map((outcome) => `svc_late_charges_total{outcome="${outcome}"}`),
      ...['svc_settlements_lost_total', 'svc_settlements_differing_total', 'svc_settlement_journals_damaged_total'],
      ...['svc_write_offs_total', 'svc_ledger_commit_failures_total', 'svc_mail_attempts_total{outcome="failed"}'],
      'svc_upstream_failures_total{upstream="default",kind="our_account"}',
    ]
    expect(counted.map((name) => [name, samples.get(name)])).toEqual(counted.map((name) => [name, 0]))
  })

  test('a deposit that waits for an operator is seen, with its age', async () => {
    await heldBackDeposit(gateway.gateway.database, gateway.accountId)
    const samples = await scrape(admin)
    const labels = '{chain="4663",state="under_review"}'
    expect(samples.get(`svc_database_deposits_waiting${labels}`)).toBe(1)
    // The stage has recorded it in 1970.
    expect(samples.get(`svc_database_deposits_oldest_age_seconds${labels}`)).toBeGreaterThan(1_000_000)
  })

  test('the disk, the lease and the verdict of the last audit are seen', async () => {
    const before = await scrape(admin)
    expect(before.get('svc_data_folder_free_bytes')).toBeGreaterThan(0)
    expect(before.get('svc_data_folder_size_bytes')).toBeGreaterThan(before.get('svc_data_folder_free_bytes') ?? 0)
    expect(before.get('svc_lease_age_seconds')).toBeGreaterThanOrEqual(0)
    expect(before.get('svc_lease_age_seconds')).toBeLessThan(60)
    expect(before.get('svc_settlements_file_bytes')).toBe(0)
    expect(before.get('svc_catalog_cards_below_cost')).toBeGreaterThanOrEqual(0)
    expect(before.has('svc_database_audit_age_seconds')).toBe(false)
    expect(before.get('svc_database_audit_unfinished')).toBe(0)
    expect(await gateway.gateway.operators.audits.start('a test')).toBe(true)
    await eventually(async () => expect((await scrape(admin)).get('svc_database_audit_breaches')).toBe(0))
    expect((await scrape(admin)).get('svc_database_audit_age_seconds')).toBeLessThan(60)
  })

  test('every metric is documented, and every documented metric exists', async () => {
    const page = readFileSync(join(dirname(import.meta.dirname), 'docs/operations.md'), 'utf8')
    const documented = [...page.matchAll(/^\| `(svc_\w+)` \| (\w+) \|/gm)].map((match) => `${match[1]} ${match[2]}`)
    const text = await (await fetch(`${admin}/metrics`)).text()
    const registered = [...text.matchAll(/^# TYPE (svc_\w+) (\w+)$/gm)].map((match) => `${match[1]} ${match[2]}`)
    expect(documented.toSorted()).toEqual(registered.toSorted())
  })
})
