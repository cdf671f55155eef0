/** Models compared, usage measured, and money on paper: the pages in a real browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { creditedDeposit } from '../../packages/server/testing/credited-deposit.ts'
import { startTestGateway, type TestGateway } from '../../packages/server/testing/test-gateway.ts'
import {
  enterSandbox,
  faultsOf,
  openConsole,
  openVisit,
  originOf,
  overhang,
  PHONE,
  TEST_MS,
  untilItStands,
} from '../console-pages.ts'

let gateway: TestGateway
let browser: Browser
let page: Page
let complaints: string[]
let team: { readonly id: string; readonly account_id: string }

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway()
  ;({ page, complaints } = await openVisit(browser))
  await enterSandbox(page, gateway)
  team = await page.evaluate(async () => {
    const visit = (await (await fetch('/api/console/session')).json()) as { teams: (typeof team)[] }
    return visit.teams[0] ?? { id: '', account_id: '' }
  })
  await creditedDeposit(gateway.gateway, team.account_id)
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const open = async (place: string): Promise<void> => {
  await page.goto(`${originOf(gateway)}/console/team/${team.id}${place}`)
  await untilItStands(page)
}

test(
  'models are sorted, narrowed and compared, and the address shows a colleague the same',
  { timeout: TEST_MS },
  async () => {
    await open('/models')
    await page.getByRole('button', { name: 'Output per 1M' }).click()
    await page.getByRole('columnheader', { name: 'Output per 1M' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    await page.getByLabel('Kind').selectOption('image')
    await page
      .getByText(/per image/)
      .filter({ visible: true })
      .first()
      .waitFor()
    await page.getByLabel('Kind').selectOption('text')
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Supports').selectOption('tools')
    await page.getByLabel('Order').selectOption('context')
    const boxes = page.getByRole('checkbox', { name: /^Compare / })
    // The address is changed first, and the box follows it.
    await boxes.nth(0).click()
    await page.getByRole('button', { name: 'Compare 1' }).waitFor()
    await boxes.nth(1).click()
    await page.getByRole('button', { name: 'Compare 2' }).waitFor()
    await page.reload()
    await untilItStands(page)
    expect(await page.getByLabel('Supports').inputValue()).toBe('tools')
    await page.getByRole('button', { name: 'Compare 2' }).click()
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /^Context/ })
      .waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^Try it/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
    expect(complaints).toEqual([])
  },
)

test('usage shows what was measured, in days of a zone, and keeps a view', { timeout: TEST_MS }, async () => {
  await open('/')
  const key = await page.evaluate(async (id) => {
    const made = await fetch(`/api/console/teams/${id}/playground-key`, { method: 'POST' })
    return ((await made.json()) as { key: string }).key
  }, team.id)
  const messages = [{ role: 'user', content: 'Hello!' }]
  // The day there is another one than here for a good part of the day.
  const dayThere = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata', dateStyle: 'short' })
  const from = dayThere.format(new Date())
  for (const stream of [true, false]) {
    await (await gateway.chat({ model: 'svc-gpt', max_tokens: 16, messages, stream }, { key })).text()
  }
  await gateway.settled()
  await open(`/usage?show=first&from=${from}&to=${dayThere.format(new Date())}&zone=Asia/Kolkata`)
  // Written every few seconds, and looked for as often.
  await page.getByRole('group', { name: /^Time to the first token/ }).waitFor({ timeout: 60_000 })
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('group', { name: 'Figure' }).getByRole('button', { name: 'Requests' }).click()
  await page.getByRole('button', { name: 'By person' }).click()
  await page.getByText('Demo', { exact: true }).filter({ visible: true }).first().waitFor()
  await page.getByRole('button', { name: 'Save this view' }).click()
  await page.getByLabel('Name of the view').fill('People today')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await open('/usage')
  await page.getByRole('link', { name: 'People today' }).click()
  await page.waitForURL(/by=person/)
  await page.setViewportSize(PHONE)
  expect(await overhang(page)).toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(complaints).toEqual([])
})
