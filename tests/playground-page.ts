/** The playground in a real browser: a gateway with the sandbox, a page that is signed in, and what tests do there. */
import { nanocreditsOf, NANOCREDITS_PER_CREDIT, parseJsonExact } from '@svc/contract'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { DESK, openConsole, originOf, TEST_MS } from './console-pages.ts'

/** What the usage says of the playground, newest first. */
interface Records {
  readonly data: readonly {
    request_id: string
    key_name: string
    type: string
    status: string
    credits_charged: string
  }[]
}

/** Members that are no functions are there from the first test on. */
class Playground {
  gateway!: TestGateway
  page!: Page
  teamId = ''
  /** What the page said in the browser's console, but for refusals of the gateway. */
  readonly complaints: string[] = []
  readonly hosts = new Set<string>()

  readonly origin = (): string => originOf(this.gateway)

  /** Calls the console as the page does. */
  readonly get = async <Answer>(path: string, method = 'GET'): Promise<Answer> => {
    const text = await this.page.evaluate(
      async ([address, verb]) => (await fetch(`/api/console/${address}`, { method: verb ?? 'GET' })).text(),
      [path, method],
    )
    return parseJsonExact(text) as Answer
  }

  readonly usage = (): Promise<Records> => this.get(`teams/${this.teamId}/usage?key=playground`)

  readonly openTab = async (tab: 'chat' | 'image' | 'video' | 'audio'): Promise<void> => {
    await this.page.goto(`${this.origin()}/console/team/${this.teamId}/playground?tab=${tab}`)
    await this.page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  }

  readonly pickModel = async (label: string, id: string): Promise<void> => {
    await this.page.getByRole('button', { name: new RegExp(`^${label}: `) }).click()
    // What is typed goes into the search at once.
    await this.page.locator('[role=dialog] input:focus').waitFor()
    await this.page.keyboard.insertText(id)
    await this.page.keyboard.press('Enter')
    await this.page.getByRole('button', { name: `${label}: ${id}` }).waitFor()
  }

  readonly ask = async (text: string): Promise<void> => {
    await this.page.getByLabel('Message', { exact: true }).fill(text)
    await this.page.getByRole('button', { name: 'Send', exact: true }).click()
  }

  readonly answers = (state: string): Locator => this.page.locator(`article[data-state=${state}]`)

  readonly chargeOf = async (at: Locator): Promise<string> => {
    const told = at.getByTestId('charge').and(this.page.locator(':not([data-charge=""])'))
    return (await told.getAttribute('data-charge')) ?? ''
  }

  /** The last price on the page, once it is that of what is asked for now. */
  readonly shownPrice = async (): Promise<string> => {
    await this.page.locator('[aria-busy=true] > [data-testid=price]').first().waitFor({ state: 'detached' })
    return this.page.getByTestId('price').last().innerText()
  }

  async open(browser: Browser): Promise<void> {
    // With the recogniser of the machine, where there is one.
    this.gateway = await startTestGateway({ env: { PATH: process.env['PATH'] ?? '' } })
    const context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESK })
    this.page = await context.newPage()
    this.page.setDefaultTimeout(60_000)
    this.page.on('console', (message) => {
      // The browser reports refusals of the gateway, too; everything else would be a fault of the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text())
    })
    this.page.on('pageerror', (error) => this.complaints.push(String(error)))
    this.page.on('request', (request) => {
      if (request.url().startsWith('http')) this.hosts.add(new URL(request.url()).host)
    })
    await this.#fund(await this.#signIn())
  }

  /** @returns the account of the sandbox's team. */
  async #signIn(): Promise<string> {
    await this.page.goto(`${this.origin()}/console`)
    await this.page.getByRole('button', { name: 'Enter the sandbox' }).click()
    await this.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const visit = await this.get<{ teams: { id: string; account_id: string }[] }>('session')
    this.teamId = visit.teams[0]?.id ?? ''
    return visit.teams[0]?.account_id ?? ''
  }

  async #fund(accountId: string): Promise<void> {
    const { ledger, clock } = this.gateway.gateway
    const amount = nanocreditsOf(1_000n * NANOCREDITS_PER_CREDIT)
    const credit = { kind: 'credit', source: 'grant', reason: 'test', accountId, amount, now: clock.now() } as const
    await ledger.submit({ ...credit, transferId: createId(clock.now()) })
  }
}

/** Registers the hooks that open and close one for all tests of this file. */
export function usePlayground(): Playground {
  const play = new Playground()
  let browser: Browser
  beforeAll(async () => {
    browser = await openConsole()
    await play.open(browser)
  }, TEST_MS)
  // A test that fails leaves none of its answers to the next.
  afterEach(() => play.page.unrouteAll())
  afterAll(async () => {
    await browser.close()
    await play.gateway.stop()
  })
  return play
}
