import { randomUUID } from 'node:crypto'
import type { JournalReply, ReconciliationList, ReconciliationReply } from '@svc/contract'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { eventually } from '../../testing/eventually.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { dayBefore } from '../money/reconciliation/day-span.ts'

const gateway = useGateway()
let operator: BrowserSession
const rows = '/console/operator/reconciliations'
const day = dayBefore(Date.now())

beforeAll(async () => {
  const address = (await gateway.gateway.console.firstRunAddress()) ?? ''
  operator = createBrowserSession(gateway.baseUrl)
  const person = { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }
  await operator.json('POST', '/auth/first-run', { token: address.split('#')[1], ...person })
})

function formOf(text: string | null, name = 'file'): FormData {
  const form = new FormData()
  if (text !== null) form.append(name, new Blob([text], { type: 'text/csv' }), 'invoice.csv')
  return form
}

const start = (query: Record<string, string>, form: unknown, name: string = randomUUID()) =>
  operator.call('POST', `${rows}?${new URLSearchParams(query).toString()}`, form, { 'idempotency-key': name })

const ended = (id: string) =>
  eventually(async () => {
    const { data } = await operator.json<ReconciliationList>('GET', rows)
    const run = data.find((each) => each.id === id)
    expect(run?.ended_at).toEqual(expect.any(Number))
    return run!
  })

const INVOICE = 'Request,Total\ngen-of-nobody,0.5\n'

test('a page reconciles a day with an invoice, once, and says what came of it', async () => {
  const asked = { upstream: 'default', day, generation_id: 'Request', cost_usd: 'Total', utc_offset: '+02:00' }
  const name = randomUUID()
  const { id } = (await (await start(asked, formOf(INVOICE), name)).json()) as { id: string }
  expect(await ended(id)).toMatchObject({ upstream: 'default', day, by: 'Ada <ada@example.com>', differences: 1 })
  const report = await operator.json<ReconciliationReply>('GET', `${rows}/${id}`)
  expect(report).toMatchObject({
    source: 'file',
    differences: [{ kind: 'missing_here', generation_id: 'gen-of-nobody' }],
  })
  expect(await (await start(asked, formOf(INVOICE), name)).json()).toEqual({ id })
  const list = await operator.json<ReconciliationList>('GET', rows)
  expect(list.data).toHaveLength(1)
  expect(list.upstreams).toContainEqual({ name: 'default', tells_figures: false })
  const { data } = await operator.json<JournalReply>('GET', '/console/operator/journal?action=reconciliation.run')
  expect(data).toMatchObject([{ outcome: 'done', details: expect.arrayContaining([{ name: 'day', value: day }]) }])
})

test('a file that is no invoice ends the run with the line that is wrong', async () => {
  const { id } = (await (await start({ upstream: 'default', day }, formOf('a,b\n1,2\n'))).json()) as { id: string }
  expect(await ended(id)).toMatchObject({ differences: null, failure: expect.stringContaining('generation_id') })
})

test.each([
  ['an unknown upstream', { upstream: 'nobody', day }, formOf(INVOICE), 'upstream'],
  ['a day that is not over', { upstream: 'default', day: dayBefore(Date.now() + 86_400_000) }, formOf(INVOICE), 'day'],
  ['no day', { upstream: 'default', day: '2026-02-30' }, formOf(INVOICE), 'day'],
  ['no file where the upstream tells nothing', { upstream: 'default', day }, formOf(null), 'file'],
  ['an empty file', { upstream: 'default', day }, formOf(''), 'file'],
  ['a part of another name', { upstream: 'default', day }, formOf(INVOICE, 'other'), 'other'],
  ['no offset', { upstream: 'default', day, utc_offset: '2' }, formOf(INVOICE), 'utc_offset'],
  ['no form', { upstream: 'default', day }, { file: INVOICE }, null],
])('refused: %s', async (_what, query, form, param) => {
  const answer = await start(query as Record<string, string>, form)
  const { error } = (await answer.json()) as { error: { param: string | null } }
  expect([answer.status, error.param]).toEqual([400, param])
})
