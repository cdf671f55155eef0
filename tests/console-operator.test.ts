/** The operator's pages in a real browser: from the printed token to an audit, and who cannot see them. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { heldBackDeposit } from '../packages/server/testing/operator-scene.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import {
  cutTables,
  DESK,
  enterSandbox,
  faultsOf,
  openConsole,
  openPlace,
  openVisit,
  originOf,
  overhang,
  overrun,
  PHONE,
  smallTargets,
  TEST_MS,
  untilItStands,
} from './console-pages.ts'

let gateway: TestGateway
let browser: Browser
let page: Page
/** What pages said in the browser's console, but for refusals that the test asks for. */
let complaints: string[]

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway()
  ;({ page, complaints } = await openVisit(browser))
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const PLACES = [
  ...(['Earnings', 'Accounts', 'Deposits', 'Upstreams', 'Prices', 'Limits', 'Announcements'] as const),
  ...(['Audit', 'Journal', 'Settings'] as const),
]

async function giveReason(reason: string, button: string): Promise<void> {
  await page.getByLabel('Reason').fill(reason)
  await page.getByRole('button', { name: button, exact: true }).click()
}

const statusOfKey = async (): Promise<number> =>
  (await gateway.chat({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hi' }] })).status

test(
  'the token that the start printed lets the first operator in, who names the gateway',
  { timeout: TEST_MS },
  async () => {
    const address = (await gateway.gateway.console.firstRunAddress()) ?? ''
    await page.goto(address.replace(/#.*/, ''))
    await page.getByRole('heading', { name: 'The link is not whole' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.goto(address)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    // An owner who invites to a closed gateway is warned; an operator is led to the setting.
    await openPlace(page, 'Team')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByText('People who have no account here cannot make one').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'The operator’s settings' }).click()
    await page.getByRole('list').getByText('Ada', { exact: true }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Acme AI')
    await page.getByLabel('Who may make an account').selectOption('invite')
    await page.getByLabel('Or the terms as text').fill('Be kind.\n<b>Truly.</b>')
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved: the settings hold in every process at once.').waitFor()
    await page.getByRole('navigation', { name: 'Places' }).getByText('Acme AI').waitFor()
    expect(await page.title()).toBe('Settings · Acme AI')

    const { page: stranger, ...other } = await openVisit(browser)
    await stranger.goto(`${originOf(gateway)}/console/sign-in`)
    await stranger.getByRole('heading', { name: 'Sign in to Acme AI' }).waitFor()
    await stranger.getByRole('link', { name: 'terms' }).click()
    await stranger.getByText('<b>Truly.</b>').waitFor()
    expect(other.complaints).toEqual([])
    await other.context.close()
  },
)

test('an account is suspended and resumed, and gets credits once', { timeout: TEST_MS }, async () => {
  expect(await statusOfKey()).toBe(200)
  await openPlace(page, 'Accounts')
  await page.getByRole('searchbox', { name: 'Search' }).fill('test')
  await page.waitForURL(/q=test/)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('link', { name: 'Test', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Test' }).waitFor()
  await page.getByRole('cell', { name: 'svc-gpt' }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(await page.content()).not.toContain(gateway.key)

  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  await page.getByText('New requests are refused at once').waitFor()
  await giveReason('unpaid', 'Suspend the account')
  await page.getByText('is suspended.').waitFor()
  expect(await statusOfKey()).toBe(403)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await giveReason('paid', 'Resume the account')
  await page.getByText('works again.').waitFor()
  expect(await statusOfKey()).toBe(200)

  await page.getByRole('button', { name: 'Change the limits' }).click()
  await page.getByLabel('Requests a minute of each key').fill('1')
  expect(await faultsOf(page)).toEqual([])
  await giveReason('a trial', 'Set the limits')
  await page.getByText('1 request a minute (set for this account)').waitFor()
  expect([await statusOfKey(), await statusOfKey()]).toEqual([200, 429])
  await page.getByRole('button', { name: 'Change the limits' }).click()
  await page.getByLabel('Requests a minute of each key').fill('')
  await giveReason('a contract', 'Set the limits')
  await page.getByText('(default)').nth(1).waitFor()
  expect(await statusOfKey()).toBe(200)

  const { posted } = await gateway.balance()
  await page.getByRole('button', { name: 'Give credits' }).click()
  await page.getByLabel('Credits to give').fill('25')
  expect(await faultsOf(page)).toEqual([])
  await giveReason('a gift', 'Give the credits')
  await page.getByText('The credits are given.').waitFor()
  expect((await gateway.balance()).posted - posted).toBe(25_000_000_000n)
  await page.getByRole('cell', { name: 'a gift' }).waitFor()

  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Export its data' }).click()
  await page.getByLabel('Reason').fill('asked for it')
  // A note of what was done covers nothing of what is done next.
  expect(await page.getByText('The credits are given.').count()).toBe(0)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const file = await saved
  expect(file.suggestedFilename()).toMatch(/^account-.+\.json$/)
  // The browser itself saves what comes: a page that holds all of it would name a blob.
  expect(new URL(file.url()).pathname).toMatch(/\/export$/)
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({ account: { name: 'Test' } })
  await page.getByText('The export is on its way').waitFor()
})

test('a deposit under review is looked at and released', { timeout: TEST_MS }, async () => {
  const { database } = gateway.gateway
  const deposit = await heldBackDeposit(database, gateway.accountId)
  await openPlace(page, 'Deposits')
  await page.getByRole('link', { name: '25 USDG' }).click()
  await page.getByRole('dialog').getByText('No node can be asked').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Release …' }).click()
  await giveReason('known sender', 'Release it')
  await page.getByRole('dialog').getByText('Released').waitFor()
  const row = await database.read
    .selectFrom('deposit')
    .select(['state', 'note'])
    .where('deposit_id', '=', deposit.depositId)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ state: 'confirming', note: 'known sender' })
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByText('Nothing waits for you.').waitFor()
})

test('what is announced is read until it is dismissed, and taken back', { timeout: TEST_MS }, async () => {
  await openPlace(page, 'Announcements')
  await page.getByRole('button', { name: 'New announcement' }).click()
  await page.getByLabel('Kind').selectOption('maintenance')
  await page.getByLabel('Title').fill('New disks')
  await page.getByLabel('Text').fill('Ten minutes without service.')
  const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16)
  await page.getByLabel('It begins').fill(at(48))
  await page.getByLabel('It ends').fill(at(49))
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Announce it' }).click()
  const banner = page.getByRole('list', { name: 'Announcements' })
  await banner.getByText('Ten minutes without service.').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Dismiss: New disks' }).click()
  await page.reload()
  await page.getByText('shown', { exact: true }).waitFor()
  expect(await banner.count()).toBe(0)
  await page.getByRole('button', { name: 'Take it back' }).click()
  await giveReason('no disks', 'Take it back')
  await page.getByText('withdrawn', { exact: true }).waitFor()
})

test('a price is set after a look at what it changes, and is removed', { timeout: TEST_MS }, async () => {
  await openPlace(page, 'Prices')
  await page.getByRole('button', { name: 'Set a price' }).click()
  const model = 'openai/gpt-4o-mini'
  await page.getByLabel('Id of the model').fill(model)
  await page.getByLabel('Input, for 1M tokens', { exact: true }).fill('10')
  await page.getByLabel('Output, for 1M tokens').fill('20')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Preview' }).click()
  const changes = page.getByRole('region', { name: 'What changes' })
  await changes.getByText('input: 12,000 credits').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await giveReason('dearer', 'Apply it')
  const set = page.getByRole('region', { name: 'What is set' })
  await set.getByText('$10.00 in, $20.00 out per million').last().waitFor()
  await page.getByRole('button', { name: `Change the price of ${model}` }).click()
  await page.getByRole('button', { name: 'Preview without it' }).click()
  await changes.waitFor()
  await giveReason('cheap again', 'Remove it')
  await set.waitFor({ state: 'detached' })
})

test('a limit of the gateway is set after a look at what follows, and goes back', { timeout: TEST_MS }, async () => {
  await openPlace(page, 'Limits')
  await page.getByRole('region', { name: 'Read at a start alone' }).getByText('lease_ms').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Change claims_per_day' }).click()
  await page.getByLabel('Limit', { exact: true }).fill('50')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'What changes' }).getByText('Deposit claims of one key in a day').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await giveReason('a flood', 'Apply it')
  const row = page.getByRole('row').filter({ hasText: 'claims_per_day' })
  await row
    .getByText(/^in the console/)
    .filter({ visible: true })
    .waitFor()
  await page.getByRole('button', { name: 'Change claims_per_day' }).click()
  await page.getByRole('button', { name: 'Preview the default' }).click()
  await giveReason('it is over', 'Go back to the default')
  await row.getByText('default', { exact: true }).filter({ visible: true }).waitFor()
})

test('upstreams, prices, the audit and the journal are shown', { timeout: TEST_MS }, async () => {
  await openPlace(page, 'Upstreams')
  await page.getByRole('cell', { name: 'svc-gpt' }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await openPlace(page, 'Prices')
  await page.getByText(/^\d+ models, the first 40 below$/).waitFor()
  const prices = page.getByRole('region', { name: 'Prices' })
  const named = prices.getByRole('link').filter({ visible: true })
  expect(await named.count()).toBe(40)
  // A person who asks for more by the keyboard goes on with the first of them, and a reload shows as many.
  await page.getByRole('button', { name: 'Show 40 more' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/the first 80 below$/).waitFor()
  const next = await named.nth(40).getAttribute('href')
  await expect.poll(() => page.locator(':focus').getAttribute('href')).toBe(next)
  await page.reload()
  await expect.poll(() => named.count()).toBe(80)
  await page.getByLabel('Show').selectOption('featured')
  await page.getByText(/^17 of \d+ models$/).waitFor()
  await page.getByText('A name with an arrow is an alias.').waitFor()
  await prices
    .getByText(/^svc-gpt → /)
    .filter({ visible: true })
    .waitFor()
  await prices.getByText('by its own name 12,000 input, 60,000 output').filter({ visible: true }).first().waitFor()
  expect(await faultsOf(page)).toEqual([])
  await openPlace(page, 'Audit')
  await page.getByRole('button', { name: 'Run it now' }).first().click()
  await page.getByText(/All \d+ promises are kept\./).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await openPlace(page, 'Journal')
  const journal = page.getByRole('list', { name: 'Journal' })
  await journal.getByText('Started an audit').waitFor()
  for (const what of [
    'Started an audit',
    'Released a deposit',
    'Gave credits',
    'Suspended an account',
    'SVC → Acme AI',
  ]) {
    expect(await journal.getByText(what).count()).toBe(1)
  }
  expect(await faultsOf(page)).toEqual([])
})

test('on a phone no operator’s page is wider than the screen', { timeout: TEST_MS }, async () => {
  await page.setViewportSize(PHONE)
  for (const place of PLACES) {
    await openPlace(page, place)
    await untilItStands(page)
    expect(await overhang(page)).toBe(0)
    expect(await cutTables(page)).toEqual([])
    expect(await smallTargets(page)).toEqual([])
    // A list of some hundred is no wall.
    expect(await overrun(page)).toBeLessThan(12 * PHONE.height)
  }
  await openPlace(page, 'Accounts')
  await page.getByRole('link', { name: 'Test', exact: true }).click()
  await page.getByRole('cell', { name: 'svc-gpt' }).first().waitFor()
  expect(await overhang(page)).toBe(0)
  expect(await cutTables(page)).toEqual([])
  await page.goto(`${originOf(gateway)}/console/nowhere`)
  expect(await faultsOf(page)).toEqual([])
  await page.goto(`${originOf(gateway)}/console`)
  await page.setViewportSize(DESK)
})

test('people of a suspended account read so on each of its pages', { timeout: TEST_MS }, async () => {
  const { page: member, context } = await openVisit(browser)
  await enterSandbox(member, gateway)
  await openPlace(page, 'Accounts')
  await page.getByRole('link', { name: 'Demo', exact: true }).click()
  const act = async (item: string, reason: string, button: string): Promise<void> => {
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await giveReason(reason, button)
  }
  await act('Suspend', 'unpaid', 'Suspend the account')
  await page.getByText('“Demo” is suspended.').waitFor()
  await member.reload()
  for (const place of ['Overview', 'Playground', 'Keys', 'Funding']) {
    await openPlace(member, place)
    await member.getByRole('alert').getByText('This account is suspended').waitFor()
    expect([place, await faultsOf(member)]).toEqual([place, []])
  }
  await act('Resume', 'paid', 'Resume the account')
  await page.getByText('“Demo” works again.').waitFor()
  await context.close()
})

test('a person who is no operator sees none of it', { timeout: TEST_MS }, async () => {
  const { page: member, ...other } = await openVisit(browser)
  await enterSandbox(member, gateway)
  await openPlace(page, 'Settings')
  await page.reload()
  await page.getByRole('button', { name: 'Remove Demo' }).click()
  await giveReason('not theirs', 'Remove')
  await page.getByText('is no operator any more.').waitFor()

  await member.reload()
  const places = member.getByRole('navigation', { name: 'Places' })
  await places.getByRole('link', { name: 'Keys' }).waitFor()
  expect(await places.getByText('Gateway', { exact: true }).count()).toBe(0)
  const team = /team\/[^/]+/.exec(member.url())?.[0] ?? ''
  for (const place of PLACES) {
    await member.goto(`${originOf(gateway)}/console/${team}/operator/${place.toLowerCase()}`)
    await member.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  }
  await other.context.close()
  expect([...complaints, ...other.complaints]).toEqual([])
})
