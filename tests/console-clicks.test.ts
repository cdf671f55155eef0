/**
 * Clicks that come twice make one thing and pay for one; clicks that come while the session, the gateway or a script is
 * gone lead on.
 */
import { nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import type { Browser, Locator, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { enterSandbox, faultsOf, openConsole, openVisit, originOf, TEST_MS } from './console-pages.ts'

let gateway: TestGateway
let browser: Browser
let page: Page
let team = ''

interface Sent {
  readonly path: string
  readonly name: string | null
}
/** What the page sent that creates or pays, since the test began. */
const sent: Sent[] = []
/** Requests of the page that have no answer yet. */
let running = 0

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway()
  ;({ page } = await openVisit(browser))
  page.on('requestfinished', () => running--)
  page.on('requestfailed', () => running--)
  page.on('request', (request) => {
    running++
    if (request.method() !== 'POST') return
    const path = new URL(request.url()).pathname.replace(/^\/api/, '')
    sent.push({ path, name: request.headers()['idempotency-key'] ?? null })
  })
  await enterSandbox(page, gateway)
  const [own] = await page.evaluate<{ id: string; account_id: string }[]>(
    `fetch('/api/console/session').then((answer) => answer.json()).then(({ teams }) => teams)`,
  )
  team = own?.id ?? ''
  const { ledger, clock } = gateway.gateway
  await ledger.submit({
    kind: 'credit',
    source: 'grant',
    reason: 'test',
    transferId: createId(clock.now()),
    now: clock.now(),
    accountId: own?.account_id ?? '',
    amount: nanocreditsOf(1_000n * NANOCREDITS_PER_CREDIT),
  })
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})
beforeEach(() => {
  sent.length = 0
})

const open = (place: string) => page.goto(`${originOf(gateway)}/console/team/${team}${place}`)
const places = () => page.getByRole('navigation', { name: 'Places' }).filter({ visible: true })
/** The names of the requests to a path, once the first has been sent and the page waits for no answer any more. */
async function namesOf(path: RegExp): Promise<(string | null)[]> {
  const names = () => sent.filter((each) => path.test(each.path)).map(({ name }) => name)
  await expect.poll(() => names().length > 0 && running === 0).toBe(true)
  return names()
}

/** Ways in which one thing is asked for twice. */
const ways: readonly (readonly [string, (button: Locator) => Promise<unknown>])[] = [
  ['a double click', (button) => button.dblclick()],
  ['a slow double click', (button) => button.dblclick({ delay: 120 })],
  [
    'two clicks in one moment',
    async (button) => {
      // A script's click on a button that cannot be pressed yet does nothing.
      await button.click({ trial: true })
      await button.evaluate((element) => {
        const one = element as unknown as { click(): void }
        one.click()
        one.click()
      })
    },
  ],
]

const NAME = expect.stringMatching(/^[0-9a-f]{32}$/)

test.each(ways)(
  '%s on “Make it” makes one image',
  async (_way, press) => {
    await open('/playground?tab=image')
    await page.getByLabel('What the image shows').fill('A lighthouse')
    await press(page.getByRole('button', { name: 'Make it' }))
    expect(await namesOf(/images/)).toEqual([NAME])
  },
  TEST_MS,
)

test.each(ways)(
  '%s on “Make it” submits one video',
  async (_way, press) => {
    await open('/playground?tab=video')
    // It ends soon, and frees what is held.
    await page.getByRole('button', { name: /^Model: / }).click()
    await page.getByLabel('Search models').fill('svc-sandbox/video-fails')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Model: svc-sandbox/video-fails' }).waitFor()
    await page.getByLabel('What the video shows').fill('A paper boat')
    await press(page.getByRole('button', { name: 'Make it' }))
    expect(await namesOf(/videos/)).toEqual([NAME])
  },
  TEST_MS,
)

test(
  'a key that is held on a prompt sends it once',
  async () => {
    await open('/playground?tab=image')
    const prompt = page.getByLabel('What the image shows')
    await prompt.fill('A lighthouse')
    await prompt.focus()
    await page.keyboard.down('Control')
    for (let repeat = 0; repeat < 10; repeat++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.keyboard.up('Control')
    expect(await namesOf(/images/)).toEqual([NAME])
  },
  TEST_MS,
)

test.each(ways)(
  '%s on “Speak it” makes one audio file',
  async (_way, press) => {
    await open('/playground?tab=audio')
    await page.getByLabel('Text to speak').fill('Hello')
    await press(page.getByRole('button', { name: 'Speak it' }))
    expect(await namesOf(/speech/)).toEqual([NAME])
  },
  TEST_MS,
)

test.each(ways)(
  '%s on “Send” asks once',
  async (_way, press) => {
    await open('/playground')
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
    await press(page.getByRole('button', { name: 'Send' }))
    expect(await namesOf(/chat\/completions/)).toEqual([NAME])
  },
  TEST_MS,
)

test.each(ways)(
  '%s on “Make the key” makes one key',
  async (way, press) => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill(way)
    await press(page.getByRole('button', { name: 'Make the key' }))
    await page.getByTestId('key-secret').waitFor()
    expect(await namesOf(/\/keys$/)).toEqual([NAME])
  },
  TEST_MS,
)

test.each(ways)(
  '%s on “Make the team” makes one team',
  async (way, press) => {
    await open('/new-team')
    await page.getByLabel('Name').fill(way)
    await press(page.getByRole('button', { name: 'Make the team' }))
    await page.waitForURL((url) => !url.pathname.endsWith('/new-team'))
    expect(await namesOf(/console\/teams$/)).toEqual([NAME])
  },
  TEST_MS,
)

test(
  'a request whose answer was lost is sent again under its name, and is done once',
  async () => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('lost')
    let lost = 0
    await page.route(/\/console\/teams\/[^/]+\/keys$/, async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByTestId('key-secret').waitFor()
    await page.unroute(/\/console\/teams\/[^/]+\/keys$/)
    const [first, ...others] = await namesOf(/\/keys$/)
    expect([first, others]).toEqual([NAME, [first]])
    const made = await page.evaluate<number>(
      `fetch('/api/console/teams/${team}/keys').then((answer) => answer.json())
      .then(({ data }) => data.filter(({ name }) => name === 'lost').length)`,
    )
    expect(made).toBe(1)
  },
  TEST_MS,
)

test(
  'a session that ends while a form is filled is renewed over the form, which keeps what was typed',
  async () => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('kept')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Enter the sandbox' }).click()
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('kept')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByTestId('key-secret').waitFor()

    // The same for a page that is only looked at: the click leads where it would have led.
    await open('/keys')
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.context().clearCookies()
    await places().getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('button', { name: 'Enter the sandbox' }).click()
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  },
  TEST_MS,
)

test(
  'who signed in long ago signs in within the dialog, before its form is filled',
  async () => {
    const isOld = { now: true }
    const isAnother = { now: true }
    await page.route('**/api/console/session', async (route) => {
      const response = await route.fetch()
      const visit = (await response.json()) as { user: { fresh_until: number; email: string } | null }
      if (visit.user !== null && isOld.now) visit.user.fresh_until -= 3_600
      if (visit.user !== null && isAnother.now) visit.user.email = 'ada@example.com'
      await route.fulfill({ response, json: visit })
    })
    await open('/keys?make=true')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Sign in again first').waitFor()
    // The sandbox's button makes one its demo user: another person would lose their page.
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'Enter the sandbox' }).count()).toBe(0)
    isAnother.now = false
    await open('/keys?make=true')
    await dialog.getByRole('button', { name: 'Enter the sandbox' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await dialog.getByLabel('Name', { exact: true }).count()).toBe(0)
    isOld.now = false
    await dialog.getByRole('button', { name: 'Enter the sandbox' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('fresh')
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    await page.getByTestId('key-secret').waitFor()
    await page.unroute('**/api/console/session')
  },
  TEST_MS,
)

test(
  'a gateway that cannot be reached leaves the page as it is, and a click goes on once it is back',
  async () => {
    await open('/keys')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('offline')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByText('The gateway cannot be reached').waitFor()
    await page.getByRole('alert').getByText('The gateway could not be reached').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('offline')
    await page.keyboard.press('Escape')
    // Neither its script nor its data is here.
    await places().getByRole('link', { name: 'Team' }).click()
    await page.waitForURL(/\/team\/[^/]+\/team$/)
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.getByText('The gateway cannot be reached').waitFor({ state: 'detached' })
  },
  TEST_MS,
)

test(
  'a script that is gone since an upgrade has the page loaded anew, once',
  async () => {
    let loads = 0
    const count = (request: Request): void => {
      if (request.isNavigationRequest()) loads += 1
    }
    await open('/keys')
    page.on('request', count)
    await page.route('**/assets/usage-page-*.js', (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    )
    await places().getByRole('link', { name: 'Usage' }).click()
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    expect(loads).toBe(1)
    await page.unroute('**/assets/usage-page-*.js')

    // One that stays away is told, and is no circle.
    await page.route('**/assets/models-page-*.js', (route) => route.fulfill({ status: 404 }))
    await places().getByRole('link', { name: 'Models' }).click()
    await page.getByText('A part of this page could not be loaded').waitFor()
    expect(loads).toBe(2)
    page.off('request', count)
    await page.unroute('**/assets/models-page-*.js')
  },
  TEST_MS,
)
