/** Passkeys in a real browser, with a device that Chromium plays: added, used on every page that signs in, and removed. */
import path from 'node:path'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import {
  DESK,
  enterSandbox,
  faultsOf as faultsOfDesk,
  openConsole,
  openVisit,
  originOf,
  PHONE,
  TEST_MS,
} from './console-pages.ts'

let gateway: TestGateway
let browser: Browser
/** Of a person with a device, from test to test. */
let page: Page
let device: Device
const complaints: string[] = []

/** A folder that gets an image of every page; for people who look at them. */
const IMAGES = process.env['SVC_TEST_PICTURES']

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway()
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const open = async (prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Page> => {
  const visit = await openVisit(browser, prepare)
  visit.page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return visit.page
}

/** A browser that offers no passkeys by itself, so that the button alone uses them. */
const withoutOffers = (context: BrowserContext) =>
  context.addInitScript(`PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)`)

interface Device {
  /** What it keeps, so that another browser can have it, too. */
  keys(): Promise<readonly object[]>
}

async function plugIn(page: Page, keys: readonly object[] = []): Promise<Device> {
  const client: CDPSession = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal' },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  for (const credential of keys) {
    await client.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: credential as Awaited<ReturnType<typeof listKeys>>[number],
    })
  }
  const listKeys = async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  return {
    keys: listKeys,
  }
}

/** What a checker finds on a desk and on a phone. */
async function faultsOf(page: Page, name: string): Promise<unknown[]> {
  const faults: unknown[] = []
  for (const [size, viewport] of Object.entries({ phone: PHONE, desk: DESK })) {
    await page.setViewportSize(viewport)
    faults.push(...(await faultsOfDesk(page)))
    for (const theme of IMAGES === undefined ? [] : ['dark', 'light']) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      await page.screenshot({ path: path.join(IMAGES ?? '', `${name}-${size}-${theme}.png`), fullPage: true })
    }
  }
  return faults
}

const dialogOf = (page: Page) => page.getByRole('dialog')

test('a passkey is added on the page of the account, once for each device', { timeout: TEST_MS }, async () => {
  page = await open(withoutOffers)
  device = await plugIn(page)
  await enterSandbox(page, gateway)
  await page.goto(`${originOf(gateway)}/console/account`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialogOf(page).getByLabel('Name').fill('Laptop of the desk')
  expect(await faultsOf(page, 'passkey-add')).toEqual([])
  await dialogOf(page).getByRole('button', { name: 'Continue' }).click()
  await page.getByText('You can now sign in with this passkey.').waitFor()
  await page.getByText('never used').waitFor()
  // The device makes no second one for the same account, and the dialog says so and stays.
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialogOf(page).getByRole('button', { name: 'Continue' }).click()
  await page.getByText('This device has a passkey for your account already.').waitFor()
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
})

test('a session that has ended is renewed by a passkey over the page', { timeout: TEST_MS }, async () => {
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Rename Laptop of the desk' }).click()
  await dialogOf(page).getByLabel('Name').fill('Laptop')
  await dialogOf(page).getByRole('button', { name: 'Save the name' }).click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
  expect(await faultsOf(page, 'passkey-session-ended')).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  await dialogOf(page).getByRole('button', { name: 'Save the name' }).click()
  await page.getByText('Laptop', { exact: true }).waitFor()
  await page.getByText(/last used/).waitFor()
  expect(await faultsOf(page, 'account-passkeys')).toEqual([])
})

test('the page of signing in takes a passkey, and opens what was asked for', { timeout: TEST_MS }, async () => {
  await page.context().clearCookies()
  await page.goto(`${originOf(gateway)}/console/keys`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  expect(await faultsOf(page, 'sign-in-passkey')).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
})

test(
  'a browser offers a passkey by itself, and one that was removed signs in no more',
  { timeout: TEST_MS },
  async () => {
    // Another browser with the same keys, whose person touches the device at once.
    const other = await open()
    await plugIn(other, await device.keys())
    await other.goto(`${originOf(gateway)}/console/account`)
    await other.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await other.getByRole('button', { name: 'Remove Laptop' }).click()
    expect(await faultsOf(other, 'passkey-remove')).toEqual([])
    await dialogOf(other).getByRole('button', { name: 'Remove the passkey' }).click()
    await other.getByText('The passkey is removed.').waitFor()

    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
    await page.context().clearCookies()
    await page.goto(`${originOf(gateway)}/console/keys`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('This passkey signs in to no account here.').waitFor()
    expect(await faultsOf(page, 'sign-in-passkey-gone')).toEqual([])
  },
)

test('a console that was opened by an address says why it has no passkeys', { timeout: TEST_MS }, async () => {
  const visitor = await open()
  const byAddress = new URL(gateway.baseUrl).origin
  await visitor.goto(`${byAddress}/console/account`)
  await visitor.getByRole('button', { name: 'Enter the sandbox' }).click()
  await visitor.getByText('Browsers tie passkeys to a name').waitFor()
  expect(await visitor.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0)
  expect(await faultsOf(visitor, 'account-by-address')).toEqual([])
})
