import type { TeamInvoice, TeamInvoiceList } from '@svc/contract'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserSession, createBrowserSession } from '../../testing/browser-session.ts'
import { grant } from '../../testing/ledger-operations.ts'
import { refusalOf } from '../../testing/people.ts'
import { createTestAccount } from '../../testing/test-gateway.ts'
import { useGateway } from '../../testing/use-gateway.ts'
import { createTeamStore } from '../access/teams/team-store.ts'

const MONTH = '2026-03'
const THEN = Date.UTC(2026, 2, 20)
const NOW = Date.UTC(2026, 3, 2)

let now = THEN
const gateway = useGateway(() => ({ clock: { now: () => now } }))
let browser: BrowserSession
let base = ''

beforeAll(async () => {
  const team = await createTestAccount(gateway.gateway, '7', 'Crew')
  const { rawKey } = await gateway.createKey({ ...team, name: 'a key' })
  const body = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello!' }] }
  await gateway.chat(body, { key: rawKey })
  now = NOW
  browser = createBrowserSession(gateway.baseUrl)
  await browser.json('POST', '/auth/sign-in/demo', {})
  const { user } = await browser.json<{ user: { id: string } }>('GET', '/console/session')
  const store = createTeamStore(gateway.gateway.database)
  await store.addMember({ teamId: team.teamId, userId: user.id, role: 'billing', createdAt: now })
  await gateway.gateway.ledger.submit(grant(team.accountId, 1n, { now }))
  base = `/console/teams/${team.teamId}`
})

const issue = (month: string) => browser.call('POST', `${base}/invoices`, { month })

test('an invoice is issued for what was charged, to the parties of that time', async () => {
  expect(await refusalOf(await issue(MONTH))).toEqual([400, 'invalid_value'])
  await browser.json('PATCH', '/console/operator/settings', {
    business_name: 'SVC Ltd',
    business_address: '2 Row\r\nParis',
    invoice_note: 'Reverse charge.',
  })
  expect(await browser.json('GET', `${base}/billing`)).toMatchObject({
    details: null,
    seller: { name: 'SVC Ltd', address: '2 Row\nParis', tax_id: null },
    is_test: true,
  })
  const buyer = { name: 'Ada', address: '1 Loop', tax_id: 'GB 1' }
  for (const [field, text] of [
    ['name', ''],
    ['address', '\u202E'],
    ['tax_id', 'a\nb'],
  ] as const) {
    const refused = await browser.call('POST', `${base}/billing`, { ...buyer, [field]: text })
    const { error } = (await refused.json()) as { error: { param: string } }
    expect([refused.status, error.param]).toEqual([400, field])
  }
  await browser.json('POST', `${base}/billing`, buyer)
  expect(await browser.json<TeamInvoiceList>('GET', `${base}/invoices`)).toEqual({ data: [], open_months: [MONTH] })
  expect(await refusalOf(await issue('2026-04'))).toEqual([400, 'invalid_value'])

  const invoice = await browser.json<TeamInvoice>('POST', `${base}/invoices`, { month: MONTH })
  expect(invoice).toMatchObject({ number: 1, month: MONTH, buyer, note: 'Reverse charge.', booked_later_credits: 0 })
  expect(invoice.lines).toEqual([
    expect.objectContaining({ model: 'svc-gpt', entries: 1, credits: invoice.total_credits }),
  ])
  expect(await browser.json('GET', `${base}/invoices/1`)).toEqual(invoice)
  const file = await browser.call('GET', `${base}/invoices/1/csv`)
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="invoice-1.csv"')
  expect(await file.text()).toContain(`INV-000001,${MONTH},total,,,1,${invoice.total_credits},`)
  expect(await refusalOf(await browser.call('GET', `${base}/invoices/2`))).toEqual([404, 'invoice_not_found'])
  expect(await browser.json<TeamInvoiceList>('GET', `${base}/invoices`)).toMatchObject({
    data: [{ number: 1, total_credits: invoice.total_credits }],
    open_months: [],
  })
})
