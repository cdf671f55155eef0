/** The documentation in a real browser: read, searched, filled with a key, and run against the gateway. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorCodes, nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import {
  cutTables,
  DESK,
  faultsOf,
  openConsole,
  openVisit,
  originOf,
  overhang,
  PHONE,
  TEST_MS,
} from './console-pages.ts'

let gateway: TestGateway
let browser: Browser
let page: Page
let complaints: string[]
let hosts: Set<string>

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway()
  ;({ page, complaints, hosts } = await openVisit(browser))
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

/** To the team of the person who is signed in. */
async function grantCredits(): Promise<void> {
  const accountId = await page.evaluate(async () => {
    const visit = (await (await fetch('/api/console/session')).json()) as { teams: { account_id: string }[] }
    return visit.teams[0]?.account_id ?? ''
  })
  const { ledger, clock } = gateway.gateway
  await ledger.submit({
    ...{
      kind: 'credit',
      source: 'grant',
      reason: 'test',
      transferId: createId(clock.now()),
      now: clock.now(),
      accountId,
    },
    amount: nanocreditsOf(100n * NANOCREDITS_PER_CREDIT),
  })
}

const open = (path: string) => page.goto(`${originOf(gateway)}${path}`)
const PAGES = [
  '/docs',
  '/docs/guides/api',
  '/docs/errors',
  '/docs/errors/insufficient_credits',
  '/docs/api/createChatCompletion',
]

test('every link of the documentation leads somewhere', { timeout: TEST_MS }, async () => {
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${originOf(gateway)}${path}`, { headers: { accept: 'text/html' } })
    expect([path, answer.status]).toEqual([path, 200])
    return answer.text()
  }
  const seen = new Map<string, string>()
  const waiting = ['/docs', '/llms.txt']
  const missing: string[] = []
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    const html = await read(path)
    seen.set(path, html)
    const links = [...html.matchAll(/(?:href="|\]\()(\/docs[^")#]*)/g)].map(([, link = '']) => link)
    waiting.push(...links.filter((link) => !seen.has(link)))
  }
  for (const [path, html] of seen) {
    for (const [, to = '', anchor = ''] of html.matchAll(/href="(\/docs[^"#]*)?#([^"]+)"/g)) {
      const target = seen.get(to === '' ? path : to)
      if (target?.includes(`id="${anchor}"`) !== true) missing.push(`${path}: ${to}#${anchor}`)
    }
  }
  expect(missing).toEqual([])
  for (const code of Object.keys(errorCodes)) expect(seen.has(`/docs/errors/${code}`)).toBe(true)
  expect(seen.has('/docs/guides/api.md')).toBe(true)
})

test('pages are without faults in both themes, and fit a phone', { timeout: TEST_MS }, async () => {
  for (const path of PAGES) {
    await open(path)
    expect([path, await faultsOf(page)]).toEqual([path, []])
  }
  await page.setViewportSize(PHONE)
  for (const path of ['/docs', '/docs/api/createChatCompletion']) {
    await open(path)
    expect([path, await overhang(page), await cutTables(page)]).toEqual([path, 0, []])
    await page.getByRole('button', { name: 'Contents' }).click()
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Errors' }).waitFor()
  }
  await page.setViewportSize(DESK)
  expect(complaints).toEqual([])
  expect([...hosts]).toEqual([new URL(originOf(gateway)).host])
})

test(
  'a reader searches by the keyboard, has a key put into the code, and runs a request',
  { timeout: TEST_MS },
  async () => {
    await open('/docs')
    await page.keyboard.press('/')
    const search = page.getByRole('dialog', { name: 'Search the docs' })
    await search.getByRole('searchbox').fill('embeddings dimens')
    await search.getByRole('link', { name: /Turn texts into vectors/ }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await search.getByRole('searchbox').fill('chat with a model')
    await search
      .getByRole('link', { name: /^Chat with a model/ })
      .first()
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Chat with a model' }).waitFor()

    // A stranger is led to the sign-in, and comes back.
    await page.getByRole('button', { name: 'Use a key of mine' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Enter the sandbox' }).click()
    await page.getByRole('heading', { level: 1, name: 'Chat with a model' }).waitFor()

    const code = page.getByRole('tabpanel')
    expect(await code.innerText()).toContain(`${originOf(gateway)}/api/v1/chat/completions`)
    await page.getByRole('button', { name: 'Use a key of mine' }).click()
    await page.getByText('A key of Demo').waitFor()
    for (const language of ['curl', 'Python', 'Node', 'Vercel AI SDK', 'LangChain']) {
      await page.getByRole('tab', { name: language }).click()
      expect(await code.innerText()).toMatch(/sk-svc-[\w-]{20,}/)
    }
    expect(await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')).not.toContain('sk-svc-')

    await page.getByRole('textbox', { name: 'Body' }).fill('{ "model": ')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('The body is not JSON').waitFor()
    await grantCredits()
    const messages = [{ role: 'user', content: 'Hello!' }]
    await page
      .getByRole('textbox', { name: 'Body' })
      .fill(JSON.stringify({ model: 'svc-gpt', messages, max_tokens: 16 }))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText(/^200 in \d+ ms · x-request-id: .+ · x-svc-credits-charged: 0\.\d+/).waitFor()
    expect(await page.getByLabel('Answer', { exact: true }).innerText()).toContain('"chat.completion"')
    expect(complaints).toEqual([])
  },
)
