/**
 * What operators look up and earn, and receipts, in a real browser: any request by its id, its refund, the days and the
 * reconciliations with upstreams; a receipt that a person downloads and checks without the gateway.
 */
import { readFile } from 'node:fs/promises'
import { nanocreditsOf } from '@svc/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grant } from '../../packages/server/testing/ledger-operations.ts'
import { startTestGateway, type TestGateway } from '../../packages/server/testing/test-gateway.ts'
import { dayOf } from '../../packages/server/src/money/reconciliation/day-span.ts'
import { reconcile } from '../../packages/server/src/money/reconciliation/reconciliation-runs.ts'
import { usdOfNanocredits } from '../../packages/server/src/pricing/usd.ts'
import {
  cutTables,
  enterSandbox,
  faultsOf,
  openConsole,
  openPlace,
  openVisit,
  originOf,
  overhang,
  PHONE,
  DESK,
  TEST_MS,
} from '../console-pages.ts'

let gateway: TestGateway
let browser: Browser
/** An operator's. */
let page: Page
let complaints: string[]
/** Of the test's own account. */
let requestId = ''

const DAY_MS = 86_400_000

async function chat(): Promise<string> {
  const answer = await gateway.chat({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] })
  expect(answer.status).toBe(200)
  return answer.headers.get('x-request-id') ?? ''
}

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway()
  requestId = await chat()
  await gateway.settled()
  ;({ page, complaints } = await openVisit(browser))
  await page.goto((await gateway.gateway.console.firstRunAddress()) ?? '')
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

async function lookUp(text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Find a page, action, key, model or request id' }).fill(text)
  await page.getByRole('option', { name: 'Look up this request' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor()
}

test(
  'an operator finds any request by its id, and gives back what it was charged, once',
  { timeout: TEST_MS },
  async () => {
    await lookUp(requestId)
    await page.getByText(gateway.accountId).waitFor()
    await page.getByRole('region', { name: 'Attempts' }).getByText('went well').waitFor()
    await page.getByText(/Settlement/).waitFor()
    await page.getByText(/of \d+ in localhost/).waitFor()
    expect(await faultsOf(page)).toEqual([])

    const { posted } = await gateway.balance()
    await page.getByRole('button', { name: 'Refund' }).click()
    await page.getByLabel('Credits', { exact: true }).fill('0.000000001')
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Reason').fill('The answer was dull')
    await page.getByRole('button', { name: 'Refund the request' }).click()
    await page.getByText(/Refund of request .*: The answer was dull/).waitFor()
    expect((await gateway.balance()).posted - posted).toBe(1n)
    expect(await page.getByRole('button', { name: 'Refund' }).count()).toBe(0)
    // The button that had the focus is gone: the keyboard goes on in the page.
    await page.locator('#content:focus').waitFor()

    await lookUp('00000000-0000-7000-8000-000000000000')
    await page.getByRole('alert').getByText('There is no request').waitFor()
  },
)

test('the days, and what an upstream has billed otherwise', { timeout: TEST_MS }, async () => {
  const { database } = gateway.gateway
  const record = await database.read.selectFrom('usage_record').selectAll().executeTakeFirstOrThrow()
  const line = (generationId: string, cost: bigint) => ({
    ...{ generationId, at: null, model: null },
    cost: usdOfNanocredits(nanocreditsOf(cost)),
  })
  async function* lines() {
    yield line(record.generation_id ?? '', record.cost + 5n)
    yield line('gen-of-nobody', 1_000_000_000n)
  }
  const day = dayOf(record.started_at)
  // Of tomorrow, since only a day that is over is compared.
  const deps = { database, clock: { now: () => Date.now() + DAY_MS }, figures: new Map() }
  await reconcile(deps, { upstream: 'default', day, by: 'Ada', lines })

  await openPlace(page, 'Earnings')
  await page.getByText('Cost of upstreams', { exact: true }).first().waitFor()
  const accounts = page.getByRole('region', { name: 'By account' })
  await accounts.getByRole('link', { name: 'Test' }).waitFor()
  expect(await faultsOf(page)).toEqual([])

  await page.getByRole('button', { name: 'Other' }).click()
  await page.getByLabel('First day').fill('2020-02-02')
  await page.getByLabel('Last day').fill('2020-02-01')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('The last day is before the first.').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByLabel('Last day').fill('2020-02-03')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('No request began in these days.').waitFor()
  await page.waitForURL(/from=2020-02-02&to=2020-02-03/)

  await page.getByRole('region', { name: 'Reconciliations' }).getByText('2 differences').waitFor()
  await page.getByRole('link', { name: day }).click()
  await page.getByText('gen-of-nobody').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Reconcile a day' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reconcile a day' })
  expect(await faultsOf(page)).toEqual([])
  const invoice = 'Request,cost_usd\ngen-of-yesterday,0.25\n'
  await dialog
    .getByLabel('Invoice')
    .setInputFiles({ name: 'i.csv', mimeType: 'text/csv', buffer: Buffer.from(invoice) })
  await dialog.getByText('Other headers and times').click()
  await dialog.getByLabel('Column of the upstream’s ids').fill('Request')
  await dialog.getByLabel('Times without a zone are of').fill('2')
  await dialog.getByRole('button', { name: 'Reconcile' }).click()
  await dialog.getByText('An offset such as +02:00').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await dialog.getByLabel('Times without a zone are of').fill('+02:00')
  await dialog.getByRole('button', { name: 'Reconcile' }).dblclick()
  await page.getByRole('status').getByText('1 difference').waitFor()
  expect(await page.getByRole('region', { name: 'Reconciliations' }).getByRole('row').count()).toBe(3)
  expect(await faultsOf(page)).toEqual([])

  await page.getByRole('link', { name: day }).click()
  await page.getByRole('link', { name: requestId }).click()
  await page.getByRole('heading', { level: 1, name: 'Request', exact: true }).waitFor()
})

/** One paid request with the key of the playground, by the page itself. */
async function askOnce(team: string): Promise<void> {
  const json = { 'content-type': 'application/json' }
  const made = await fetch(`/api/console/teams/${team}/playground-key`, { method: 'POST', headers: json })
  const { key } = (await made.json()) as { readonly key: string }
  const body = JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] })
  const headers = { ...json, authorization: `Bearer ${key}` }
  const answer = await fetch('/api/v1/chat/completions', { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
}

test(
  'a person downloads a receipt, and checks it with a key and without the gateway',
  { timeout: TEST_MS },
  async () => {
    const { page: own, context, complaints: said } = await openVisit(browser)
    await enterSandbox(own, gateway)
    const team = /team\/([^/?]+)/.exec(own.url())?.[1] ?? ''
    const { database, ledger } = gateway.gateway
    const { account_id: accountId } = await database.read
      .selectFrom('team')
      .select('account_id')
      .where('team_id', '=', team)
      .executeTakeFirstOrThrow()
    await ledger.submit(grant(accountId, 1_000_000_000_000n, { now: Date.now() }))
    await own.evaluate(askOnce, team)
    const download = async (button: string): Promise<string> => {
      const [saved] = await Promise.all([
        own.waitForEvent('download'),
        own.getByRole('button', { name: button }).first().click(),
      ])
      return saved.path()
    }
    await openPlace(own, 'Funding')
    await own.getByRole('link', { name: 'Monthly statement' }).click()
    const granted = await download('Receipt')
    await openPlace(own, 'Usage')
    await own.getByRole('row').getByRole('link').first().click()
    const path = await download('Download the receipt')
    expect(await faultsOf(own)).toEqual([])

    await own.getByRole('link', { name: 'Check a receipt' }).click()
    await own.getByRole('heading', { level: 1, name: 'Check a receipt' }).waitFor()
    await own.getByRole('button', { name: 'Use the key that this gateway names' }).click()
    await expect.poll(() => own.getByLabel('Key of the ledger log').inputValue()).toMatch(/^localhost.*\+[0-9a-f]{8}\+/)
    await context.setOffline(true)
    await own.getByLabel('Drop receipts here').setInputFiles(path)
    await own.getByText('Everything holds.').waitFor()
    expect(await own.getByLabel('Holds', { exact: true }).count()).toBe(4)
    expect(await faultsOf(own)).toEqual([])
    await own.getByLabel('Drop receipts here').setInputFiles(granted)
    await own.getByText('grant', { exact: true }).waitFor()
    await own.getByText('Everything holds.').waitFor()

    // One digit of what was charged: the charge, the record and the place in the log are other ones.
    const text = await readFile(path, 'utf8')
    const forged = text.replace(/"amount": "-(\d+)"/, (_all, amount: string) => `"amount": "-${BigInt(amount) + 1n}"`)
    const file = (name: string, body: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(body) })
    await own
      .getByLabel('Drop receipts here')
      .setInputFiles([file('forged.json', forged), file('none.json', '{"object":"receipt"}')])
    await own.getByText('2 things do not hold.').waitFor()
    await own.getByText(/It is no receipt\. Its field "version" is wrong/).waitFor()
    expect(await faultsOf(own)).toEqual([])
    await own.getByLabel('Key of the ledger log').fill('other.example/log+00000000+AAAA')
    await own.getByLabel('Drop receipts here').setInputFiles(path)
    await own.getByText('This is no key of a ledger log').waitFor()
    expect(said.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
    await context.close()
  },
)

test('the pages fit a phone', { timeout: TEST_MS }, async () => {
  await page.setViewportSize(PHONE)
  for (const place of ['operator/earnings', `operator/requests/${requestId}`]) {
    await page.goto(page.url().replace(/\/operator\/.*/, `/${place}`))
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect([await overhang(page), await cutTables(page)]).toEqual([0, []])
  }
  await page.goto(`${originOf(gateway)}/console/receipt`)
  expect(await faultsOf(page)).toEqual([])
  await page.setViewportSize(DESK)
  expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
})
