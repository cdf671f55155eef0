/** The console in a real browser, from the sign-in to a key that is dead. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createId } from '../packages/server/src/runtime/ids.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { buildConsole } from '../tools/console/build-console.ts'
import { openBrowser } from './open-browser.ts'

const run = promisify(execFile)
const builtPages = path.join(import.meta.dirname, '..', 'packages', 'console', 'dist')

let gateway: TestGateway
let browser: Browser
let page: Page
/** What pages said in the browser's console: refused styles, scripts and calls among it. */
const complaints: string[] = []
/** Where the pages' bytes came from. */
const hosts = new Set<string>()

beforeAll(async () => {
  await buildConsole()
  gateway = await startTestGateway()
  browser = await openBrowser()
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1440, height: 900 } })
  page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
}, 120_000)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const origin = (): string => new URL(gateway.baseUrl).origin.replace('127.0.0.1', 'localhost')

/** What a checker of accessibility finds on the page as it stands, in light and in dark. */
async function faultsOfPage(): Promise<unknown[]> {
  await page.evaluate(axe.source)
  const faults: unknown[] = []
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, { resultTypes: ['violations'] })`)
    faults.push(...violations.map(({ id, nodes }) => ({ theme, id, at: nodes.map(({ html }) => html.slice(0, 160)) })))
  }
  return faults
}

async function openPlace(name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

async function grantCredits(): Promise<void> {
  const accountId = await page.evaluate(async () => {
    const response = await fetch('/api/console/session')
    const visit = (await response.json()) as { teams: { account_id: string }[] }
    return visit.teams[0]?.account_id ?? ''
  })
  const { ledger, clock } = gateway.gateway
  await ledger.submit({
    ...{ kind: 'credit', source: 'grant', reason: 'test', transferId: createId(clock.now()), now: clock.now() },
    ...{ accountId, amount: nanocreditsOf(100n * NANOCREDITS_PER_CREDIT) },
  })
}

const statusOf = async (key: string): Promise<number> => (await gateway.fetch('/v1/balance', { key })).status

test(
  'a stranger signs in, makes a key, pays a request with it, sees why, and revokes it',
  { timeout: 120_000 },
  async () => {
    await page.goto(`${origin()}/console`)
    const demo = page.getByRole('button', { name: 'Enter the sandbox' })
    await demo.waitFor()
    expect(await faultsOfPage()).toEqual([])
    await demo.click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await grantCredits()

    await page.getByRole('button', { name: 'Make a key' }).click()
    const key = await page.getByTestId('key-secret').innerText()
    expect(key).toMatch(/^sk-svc-/)
    const code = await page.getByTestId('sample-curl').locator('code').innerText()
    expect(code).toContain(key)
    expect(await faultsOfPage()).toEqual([])

    const { stdout } = await run('/bin/sh', ['-c', code])
    expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion', svc: { margin_bps: 2_000 } })
    await page.getByRole('link', { name: 'Why this much?' }).click()
    const bill = page.getByRole('table', { name: 'The sum behind the charge' })
    await bill.waitFor()
    const { svc } = JSON.parse(stdout) as { svc: { credits_charged: number } }
    expect(Number((await bill.getByRole('row').last().innerText()).replaceAll(/[^\d.]/g, ''))).toBe(svc.credits_charged)
    expect(await faultsOfPage()).toEqual([])

    // The address of the record shows a colleague the same.
    await page.reload()
    await bill.waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('table').first().waitFor()
    expect(await faultsOfPage()).toEqual([])

    await openPlace('Keys')
    expect(await page.content()).not.toContain(key)
    expect(await faultsOfPage()).toEqual([])
    await page.getByRole('button', { name: 'Actions for first key' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('heading', { name: /Revoke .first key./ }).waitFor()
    expect(await statusOf(key)).toBe(200)
    expect(await faultsOfPage()).toEqual([])
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByText('is revoked.').waitFor()
    expect(await statusOf(key)).toBe(401)
  },
)

test('a key with a budget is shown once, and leaving without it asks once', { timeout: 60_000 }, async () => {
  await page.goto(`${origin()}/console/keys`)
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByLabel('Name').fill('server')
  await page.getByLabel('Budget in credits').fill('2.5')
  expect(await faultsOfPage()).toEqual([])
  await page.getByRole('button', { name: 'Make the key' }).click()
  const key = await page.getByTestId('key-secret').innerText()
  expect(await statusOf(key)).toBe(200)
  await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('You have not copied the key').waitFor()
  expect(await page.getByTestId('key-secret').isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Close all the same' }).click()
  await page.getByRole('cell', { name: '2.5 a month' }).waitFor()
  expect(await page.content()).not.toContain(key)
})

test('models can be searched, and the address keeps the search', { timeout: 60_000 }, async () => {
  await openPlace('Models')
  await page.getByRole('searchbox', { name: 'Search' }).fill('svc-gpt')
  await page.getByText(/\d+ of \d+ models/).waitFor()
  expect(await faultsOfPage()).toEqual([])
  await page.reload()
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('svc-gpt')
})

test('on a phone nothing is wider than the screen', { timeout: 60_000 }, async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  for (const place of ['Overview', 'Models', 'Keys', 'Usage']) {
    await openPlace(place)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    // The list of all models has the same rows as a search, and some hundred of them.
    if (place !== 'Models') expect(await faultsOfPage()).toEqual([])
  }
})

/** What a page's scripts are allowed to weigh, compressed. Source: decision 0042 (the console). */
const SCRIPT_BYTES_MAX = 150_000

test('the overview takes less than 150 KB of scripts, schemas not among them', { timeout: 60_000 }, async () => {
  await page.goto(`${origin()}/console`)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Change the team' }).waitFor()
  const names = await page.evaluate<string[]>(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  )
  const scripts = names.map((name) =>
    readFileSync(path.join(builtPages, new URL(name).pathname.slice('/console'.length))),
  )
  expect(scripts.length).toBeGreaterThan(2)
  expect(scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0)).toBeLessThan(SCRIPT_BYTES_MAX)
  expect(scripts.filter((script) => script.includes('ZodError')).length).toBe(0)
})

test('pages ask nobody but this origin, and nothing of them was refused', () => {
  expect([...hosts]).toEqual([new URL(origin()).host])
  expect(complaints).toEqual([])
})
