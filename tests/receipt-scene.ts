/** An account with a line of every kind: each kind of paid request, what became of some, and credits of each kind. */
import { beforeAll } from 'vitest'
import { createJournalStore } from '../packages/server/src/access/operators/journal-store.ts'
import { findCharge } from '../packages/server/src/money/billing/find-charge.ts'
import { findRequestRows } from '../packages/server/src/money/ledger/request-rows.ts'
import { createUsageStore } from '../packages/server/src/money/billing/usage-store.ts'
import { recordCredit } from '../packages/server/src/operations/actions/record-credit.ts'
import { refundRequest } from '../packages/server/src/operations/actions/refund-request.ts'
import { nanocreditsOf } from '../packages/contract/src/index.ts'
import type { DatabaseEngine } from '../packages/server/src/platform/db/database.ts'
import { creditedDeposit } from '../packages/server/testing/credited-deposit.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { beginStream, chunkText, sendEvent } from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { sendJson } from './audio-upstream.ts'
import { clientOf, ended, linesOf, requestLine, startBatch } from './batch-stage.ts'
import { hasText, openStream } from './open-stream.ts'
import { PAID_KINDS, paidRoutes, usePaidStub } from './paid-kinds.ts'

/** Lines beside those of paid requests, with the kind of their entry. */
const OTHERS = {
  'a cancelled stream': 'charge',
  'a free failure': 'free',
  'a line of a batch': 'charge',
  'a deposit': 'deposit',
  'a grant': 'grant',
  'an adjustment': 'adjustment',
  'a refund': 'adjustment',
} as const

/** Every line of the scene by its name, with the kind of its entry. */
export const LINES: readonly (readonly [string, string])[] = [
  ...PAID_KINDS.map(({ name }) => [name, 'charge'] as const),
  ...Object.entries(OTHERS),
]

export interface ReceiptScene {
  readonly gateway: TestGateway
  /** The verifier key of the log. */
  readonly key: string
  /** The receipt of each line as the gateway sends it, by the line's name. */
  readonly receipts: ReadonlyMap<string, string>
  /** Every receipt of the account, without names: that of each request, also of those that made the scene. */
  get(id: string): Promise<string>
}

/** Registers the hooks of the scene; what it returns has its members from the first test on. */
export function useReceiptScene(engine: DatabaseEngine = 'sqlite'): ReceiptScene {
  const stub = usePaidStub()
  const gateway = useGateway(() => ({
    ...{ engine, credits: '10000000', env: { SVC_PUBLISH_LOG: 'true' } },
    file: {
      upstreams: ['first', 'second'].map((name) => ({
        ...({ name, kind: 'openai-compatible', url: stub.url, reports_cost: true } as const),
      })),
      routes: paidRoutes(),
    },
  }))
  const ids = new Map<string, string>()
  const receipts = new Map<string, string>()
  const scene = { gateway, key: '', receipts, get: receiptOf }

  async function receiptOf(id: string): Promise<string> {
    return eventually(async () => {
      const response = await gateway.fetch(`/v1/receipts/${id}`)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${response.status} ${text}`)
      return text
    })
  }

  async function askAll(): Promise<void> {
    for (const kind of PAID_KINDS) {
      stub.reset()
      // Jobs of the stub fail, but for those that say what they cost.
      if (kind.name === 'videos' && kind.dear !== null) stub.onWork = kind.dear
      const { status, headers, text } = await kind.ask(gateway, {})
      if (status >= 300) throw new Error(`${kind.name}: ${status} ${text}`)
      ids.set(kind.name, headers.get('x-request-id') ?? '')
    }
  }

  async function askOthers(): Promise<void> {
    const messages = [{ role: 'user', content: 'Say "hello" é\u2028\u0001.' }]
    stub.onWork = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello there' }))
    }
    const stream = await openStream(gateway, { model: 'talks', messages, max_tokens: 50 })
    await stream.until(hasText)
    stream.leave()
    ids.set('a cancelled stream', stream.requestId)
    stub.onWork = (_call, response) => {
      response.statusCode = 400
      sendJson(response, { error: { message: 'no', type: 'invalid_request_error', code: 'content_policy_violation' } })
    }
    const failed = await gateway.chat({ model: 'talks', messages })
    await failed.text()
    ids.set('a free failure', failed.headers.get('x-request-id') ?? '')
    stub.reset()
    const client = clientOf(gateway)
    const { id } = await startBatch(client, [requestLine('one', { model: 'talks', messages, max_tokens: 50 })])
    const [line] = await linesOf(client, (await ended(client, id)).output_file_id)
    ids.set('a line of a batch', line?.response?.request_id ?? '')
  }

  beforeAll(async () => {
    await askAll()
    await askOthers()
    await gateway.settled()
    await credit(gateway, ids)
    scene.key = await eventually(async () => {
      const [line = ''] = (await (await gateway.fetch('/log/key')).text()).split('\n')
      if (line === '') throw new Error('the log has no key yet')
      return line
    })
    for (const [name, id] of ids) receipts.set(name, await receiptOf(id))
  }, 120_000)
  return scene
}

/** Credits the account in each way that is no request, and notes the transfers' ids by their kind. */
async function credit(gateway: TestGateway, ids: Map<string, string>): Promise<void> {
  const { accountId } = gateway
  const { database, ledger, clock } = gateway.gateway
  await creditedDeposit(gateway.gateway, accountId)
  const by = { operatorId: null, name: 'test', way: 'command' } as const
  const deps = { ledger, clock, journal: createJournalStore(database) }
  const amount = nanocreditsOf(-5n)
  await recordCredit(deps, by, { source: 'adjustment', accountId, amount, id: 'five', reason: 'Rounding <é>' })
  const requestId = ids.get('a chat') ?? ''
  const usage = createUsageStore(database)
  const find = (asked: string) => findCharge(usage, asked)
  const refundDeps = {
    ...{ ...deps, findCharge: find },
    archivedHint: (asked: string) => usage.archivedHint(asked),
    findRows: (asked: string) => findRequestRows(database, asked, []),
  }
  await refundRequest(refundDeps, by, { requestId, amount: null, reason: 'A wrong answer' })
  const rows = await database.read
    .selectFrom('transfer')
    .select(['transfer_id as id', 'kind'])
    .where('account_id', '=', accountId)
    .where('hold_id', 'is', null)
    .execute()
  for (const { id: transferId, kind } of rows) {
    const isRefund = transferId.startsWith('adjustment:refund')
    ids.set(isRefund ? 'a refund' : kind === 'adjustment' ? 'an adjustment' : `a ${kind}`, transferId)
  }
}
