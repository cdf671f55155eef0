/** People in a real browser: an invitation from its email to the limits of a role, links by mail, and wallets. */
import { hostname } from 'node:os'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineName } from '../packages/cli/src/actions/browser-sign-in.ts'
import { totpCode, totpStep } from '../packages/server/src/access/sign-in/totp.ts'
import { decodeBase32 } from '../packages/server/testing/decode-base32.ts'
import { linkIn, peopleEnv, takeMail } from '../packages/server/testing/people.ts'
import { startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { useMailServer } from '../packages/server/testing/use-mail-server.ts'
import {
  DESK,
  enterSandbox,
  nameOfFocus,
  openConsole,
  openPlace,
  originOf,
  overhang,
  PHONE,
  TEST_MS,
  untilItStands,
} from './console-pages.ts'
import { createSvc } from './run-svc.ts'

let gateway: TestGateway
const mail = useMailServer()
let browser: Browser
/** The owner of the team. */
let owner: Page
/** What pages said in the browser's console: refused styles, scripts and calls among it. */
const complaints: string[] = []

/** A folder that gets an image of every page; for people who look at them. */
const IMAGES = process.env['SVC_TEST_PICTURES']

beforeAll(async () => {
  browser = await openConsole()
  gateway = await startTestGateway({ env: peopleEnv(mail) })
  owner = await openPage()
  await enterSandbox(owner, gateway)
}, TEST_MS)
afterAll(async () => {
  await browser.close()
  await gateway.stop()
})

const origin = (): string => originOf(gateway)

async function openPage(prepare: (context: BrowserContext) => Promise<void> = () => Promise.resolve()): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESK })
  await prepare(context)
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return page
}

/** Each page is checked on a desk in light and on a phone in dark: every size and every colour, and half the time. */
const SCENES = [
  { size: 'desk', viewport: DESK, theme: 'light' },
  { size: 'phone', viewport: PHONE, theme: 'dark' },
] as const

async function takeImages(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    await page.screenshot({ path: `${IMAGES ?? ''}/${name}-${theme}.png` })
  }
}

/** Looks at a page as it is. @returns what is wrong with it. */
async function faultsOf(page: Page, name: string): Promise<unknown[]> {
  await untilItStands(page)
  if (await page.evaluate<boolean>(`globalThis.axe === undefined`)) await page.evaluate(axe.source)
  const faults: unknown[] = []
  for (const { size, viewport, theme } of SCENES) {
    await page.setViewportSize(viewport)
    if (IMAGES !== undefined) await takeImages(page, `${name}-${size}`)
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    const { violations } = await page.evaluate<axe.AxeResults>(
      `axe.run(document.querySelector('[role=dialog]') ?? document, { resultTypes: ['violations'], preload: false })`,
    )
    faults.push(
      ...violations.map(({ id, nodes }) => ({ name, size, id, at: nodes.map(({ html }) => html.slice(0, 160)) })),
    )
    const over = await overhang(page)
    if (over > 0) faults.push({ name, size, over })
  }
  await page.evaluate(`document.documentElement.dataset.theme = 'light'`)
  await page.setViewportSize(DESK)
  return faults
}

const roleOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

test('an invitation: from the email to what the role may do, and out again', { timeout: TEST_MS }, async () => {
  await owner.getByRole('button', { name: 'Change the team' }).click()
  await owner.getByRole('menuitem', { name: 'New team' }).click()
  // The page before has a field of the same label.
  await owner.getByRole('heading', { level: 1, name: 'New team' }).waitFor()
  await owner.getByLabel('Name').fill('Crew')
  expect(await faultsOf(owner, 'new-team')).toEqual([])
  await owner.getByRole('button', { name: 'Make the team' }).click()
  await owner.getByRole('heading', { level: 1, name: 'Team', exact: true }).waitFor()
  await owner.getByRole('button', { name: 'Invite' }).click()
  await owner.getByLabel('E-mail').fill('grace@example.com')
  await owner.getByRole('radio', { name: /^viewer/ }).check()
  expect(await faultsOf(owner, 'invite')).toEqual([])
  await owner.getByRole('button', { name: 'Send the invitation' }).click()
  await roleOf(owner, 'grace@example.com').waitFor()
  expect(await faultsOf(owner, 'team-invited')).toEqual([])

  const link = linkIn(await takeMail(mail, 'grace@example.com'))
  const guest = await openPage()
  await guest.goto(`${origin()}${link.pathname}${link.hash}`)
  await guest.getByRole('heading', { level: 1, name: 'Join Crew' }).waitFor()
  await guest.getByLabel('Your name').fill('Grace Hopper')
  expect(await faultsOf(guest, 'invitation')).toEqual([])
  await guest.getByRole('button', { name: 'Make the account and join' }).click()
  await guest.getByRole('button', { name: 'Change the team' }).click()
  await guest.getByRole('menuitem', { name: /Crew/ }).click()
  await guest.getByRole('link', { name: 'Team' }).click()
  await guest.getByText('Your role: viewer').waitFor()
  // A viewer reads, and is shown nothing that they may not do.
  expect(await guest.getByRole('link', { name: 'Keys' }).count()).toBe(0)
  for (const name of ['Invite', 'Save the cap', 'Save the name', 'Actions for Demo']) {
    expect(await guest.getByRole('button', { name }).count()).toBe(0)
  }
  expect(await faultsOf(guest, 'team-viewer')).toEqual([])
  // An address without a team leads to the one that was looked at last; in another browser it asks.
  const crew = new URL(guest.url()).pathname.replace(/\/team$/, '')
  await guest.goto(`${origin()}/console/models`)
  await guest.waitForURL(`${origin()}${crew}/models`)
  await guest.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
  await guest.evaluate('localStorage.clear()')
  await guest.goto(`${origin()}/console/models?q=svc`)
  await guest.getByRole('heading', { level: 1, name: 'Which team?' }).waitFor()
  expect(await faultsOf(guest, 'choose-team')).toEqual([])
  await guest.getByRole('link', { name: /^Crew/ }).click()
  await guest.waitForURL(`${origin()}${crew}/models?q=svc`)
  await guest.goto(`${origin()}${crew}/team`)

  await owner.reload()
  await owner.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await owner.getByRole('menuitem', { name: 'Change the role' }).waitFor()
  expect(await faultsOf(owner, 'member-menu')).toEqual([])
  await owner.getByRole('menuitem', { name: 'Change the role' }).click()
  await owner.getByRole('radio', { name: /^admin/ }).check()
  expect(await faultsOf(owner, 'role')).toEqual([])
  await owner.getByRole('button', { name: 'Change the role' }).click()
  await owner.getByText('Grace Hopper is admin now.').waitFor()
  await guest.reload()
  await guest.getByRole('button', { name: 'Invite' }).waitFor()
  await guest.getByRole('link', { name: 'Keys' }).click()
  await guest.getByRole('button', { name: 'New key' }).first().click()
  await guest.getByLabel('Name').fill('production')
  await guest.getByLabel('Belongs to').selectOption('service')
  await guest.getByRole('button', { name: 'Make the key' }).click()
  await guest.getByRole('heading', { name: 'Save this key now' }).or(guest.getByText('sk-svc-').first()).waitFor()
  await guest.goto(`${origin()}${crew}/team`)

  await owner.getByRole('button', { name: 'Actions for Grace Hopper' }).click()
  await owner.getByRole('menuitem', { name: 'Remove from the team' }).click()
  expect(await faultsOf(owner, 'remove')).toEqual([])
  await owner.getByRole('button', { name: 'Remove from the team' }).click()
  await owner.getByText('Grace Hopper is out of the team.').waitFor()
  // Her row had the focus: the keyboard goes on in the page.
  await owner.locator('#content:focus').waitFor()
  // The key that she has seen works for a while, and the owner is asked to replace it.
  await owner.getByRole('link', { name: 'Keys' }).click()
  await owner.getByText('replace it: it ends').waitFor()
  await owner.getByRole('link', { name: 'production' }).click()
  await owner.getByText('Replace this key').waitFor()
  expect(await owner.getByText('Secret seen by').locator('xpath=following-sibling::dd[1]').innerText()).toBe(
    'Grace Hopper',
  )
  expect(await faultsOf(owner, 'key-to-replace')).toEqual([])
  await owner.goto(`${origin()}${crew}/team`)
  await guest.reload()
  // Nothing distinguishes a team that one is not in from one that does not exist.
  const notMember = guest.getByRole('heading', { level: 1, name: 'You are not a member of this team' })
  await notMember.waitFor()
  const told = await guest.getByRole('main').innerText()
  expect(told).not.toContain('Crew')
  expect(await faultsOf(guest, 'not-member')).toEqual([])
  await guest.goto(`${origin()}/console/team/nobody/operator/accounts`)
  await notMember.waitFor()
  expect(await guest.getByRole('main').innerText()).toBe(told)
  // Only their own team is left.
  await guest.getByRole('link', { name: /^To your team Grace Hopper/ }).click()
  await guest.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect(await guest.getByRole('button', { name: 'Change the team' }).innerText()).toContain('Grace Hopper')
  await guest.context().close()
})

test('a team sets its cap, its alert and its name', { timeout: TEST_MS }, async () => {
  // What is available is said before a request is sent that costs more.
  await openPlace(owner, 'Playground')
  await owner.getByLabel('Message', { exact: true }).fill('Hello')
  await owner.getByRole('group', { name: 'What this request can cost' }).getByText(', 0 available').waitFor()
  expect(await faultsOf(owner, 'playground-without-credits')).toEqual([])
  await openPlace(owner, 'Team')

  await owner.getByLabel('Cap in credits').fill('250')
  await owner.getByRole('button', { name: 'Save the cap' }).click()
  await owner.getByText('of 250 credits used').waitFor()
  // The next thing to press is beside it.
  expect(await nameOfFocus(owner)).toBe('Save the cap')
  await owner.getByLabel('A service key that was seen').selectOption('0')
  await owner.getByRole('button', { name: 'Save', exact: true }).click()
  await owner.getByText('A service key whose secret that person has seen ends at once').waitFor()
  await owner.getByLabel('Mail when below, in credits').fill('100')
  await owner.getByRole('button', { name: 'Save the alert' }).click()
  await owner.getByText('It is below now.').waitFor()
  await owner.getByLabel('Name of the team').fill('Night crew')
  await owner.getByRole('button', { name: 'Save the name' }).click()
  await owner.getByText('people in Night crew').or(owner.getByText('One person in Night crew')).waitFor()
  expect(await faultsOf(owner, 'team')).toEqual([])
})

test(
  'a link by mail signs in once it is pressed, and an invitation waits on the page',
  { timeout: TEST_MS },
  async () => {
    await owner.getByRole('button', { name: 'Invite' }).click()
    await owner.getByLabel('E-mail').fill('grace@example.com')
    await owner.getByRole('button', { name: 'Send the invitation' }).click()
    await takeMail(mail, 'grace@example.com', /invited/)
    const guest = await openPage()
    await guest.goto(`${origin()}/console/usage`)
    await guest.getByLabel('E-mail').fill('grace@example.com')
    expect(await faultsOf(guest, 'sign-in')).toEqual([])
    await guest.getByRole('button', { name: 'Send me a link' }).click()
    await guest.getByText('a link is on its way').waitFor()
    expect(await faultsOf(guest, 'link-sent')).toEqual([])
    const link = linkIn(await takeMail(mail, 'grace@example.com', /sign in/))
    await guest.goto(`${origin()}${link.pathname}${link.search}${link.hash}`)
    await guest.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await faultsOf(guest, 'link')).toEqual([])
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    await guest.getByRole('button', { name: 'Join' }).waitFor()
    expect(await faultsOf(guest, 'invited')).toEqual([])
    await guest.getByRole('button', { name: 'Join' }).click()
    await guest.getByRole('button', { name: 'Change the team' }).getByText('Night crew').waitFor()
    // The link was used: a second press says so.
    const other = await openPage()
    await other.goto(`${origin()}${link.pathname}${link.hash}`)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('alert').waitFor()
    expect(await other.getByRole('link', { name: 'Get a new link' }).isVisible()).toBe(true)
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('403')))
    await other.context().close()
    await guest.context().close()
  },
)

/** A wallet as an extension brings it along: it announces itself, and signs with a key of this test. */
async function bringWallet(context: BrowserContext): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey())
  await context.exposeFunction('signForTest', (hex: `0x${string}`) => account.signMessage({ message: { raw: hex } }))
  await context.addInitScript(`
    const provider = { request: async ({ method, params }) =>
      method === 'personal_sign' ? signForTest(params[0])
        : method === 'eth_chainId' ? '0x1' : ['${account.address.toLowerCase()}'] }
    const detail = Object.freeze({ info: { uuid: 'test', name: 'Test Wallet', icon: '', rdns: 'test' }, provider })
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))
  `)
  return account.address
}

test(
  'a wallet makes an account, and the account has a place for names, passwords and wallets',
  { timeout: TEST_MS },
  async () => {
    let address = ''
    const person = await openPage(async (context) => {
      address = await bringWallet(context)
    })
    await person.goto(`${origin()}/console`)
    await person.getByRole('button', { name: 'Sign in with Test Wallet' }).click()
    await person.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await person.getByRole('button', { name: 'Your account' }).click()
    await person.getByRole('menuitem', { name: 'Account and sessions' }).click()
    await person.getByText(address).waitFor()
    await person.getByLabel('Name').fill('Ada Lovelace')
    await person.getByRole('button', { name: 'Save the name' }).click()
    await person.getByText('Your name is changed.').waitFor()
    await person.getByRole('button', { name: `Remove ${address}` }).click()
    await person.getByText('Without this wallet you could not sign in').waitFor()
    expect(await faultsOf(person, 'account-wallet')).toEqual([])
    await person.getByLabel('E-mail').fill('lovelace@example.com')
    await person.getByRole('button', { name: 'Send a link to it' }).click()
    await person.getByText('An email is on its way').waitFor()
    await person.goto(linkIn(await takeMail(mail, 'lovelace@example.com')).href)
    await person.getByText('will sign in to the account Ada Lovelace').waitFor()
    expect(await faultsOf(person, 'confirm-email')).toEqual([])
    await person.getByRole('button', { name: 'Add the address to this account' }).click()
    await person.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    expect(await person.getByLabel('E-mail').inputValue()).toBe('lovelace@example.com')
    await person.getByRole('button', { name: `Remove ${address}` }).click()
    await person.getByText('The wallet is removed.').waitFor()
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('409')))
    await person.context().close()

    await owner.getByRole('button', { name: 'Your account' }).click()
    await owner.getByRole('menuitem', { name: 'Account and sessions' }).click()
    await owner.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await owner.getByRole('button', { name: 'Set a password' }).click()
    await owner.getByLabel('Present password').waitFor()
    expect(await faultsOf(owner, 'account')).toEqual([])
  },
)

test('nothing of the pages was refused', () => {
  expect(complaints).toEqual([])
})

test(
  'a terminal is signed in by the code that it shows, and its key is listed by its name',
  { timeout: TEST_MS },
  async () => {
    const svc = createSvc({ SVC_BASE_URL: gateway.baseUrl })
    try {
      const { promise: shown, resolve } = Promise.withResolvers<string>()
      const ended = svc.process(['login', '--browser'], {
        onNotes: (notes) => {
          const [, code] = /: ([B-Z]{4}-[B-Z]{4})\n/.exec(notes) ?? []
          if (code !== undefined) resolve(code)
        },
      })
      const code = await shown
      await owner.goto(`${origin()}/console/device`)
      await owner.getByLabel('Code').fill('BBBB-BBBB')
      await owner.getByRole('button', { name: 'Continue' }).click()
      await owner.getByText('This code is unknown, was used, or has expired.').waitFor()
      expect(await faultsOf(owner, 'device')).toEqual([])
      await owner.getByLabel('Code').fill(code)
      await owner.getByRole('button', { name: 'Continue' }).click()
      await owner.getByRole('button', { name: 'Sign the terminal in' }).waitFor()
      expect(await faultsOf(owner, 'device-decision')).toEqual([])
      await owner.getByRole('button', { name: 'Sign the terminal in' }).click()
      const name = `Terminal client on ${machineName(hostname())}`
      await owner.getByRole('status').getByText(name).waitFor()
      expect(await ended).toMatchObject({ code: 0, notes: expect.stringContaining(name) as string })
      expect((await svc(['whoami'])).out).toContain(name)
      await owner.goto(`${origin()}/console/keys`)
      await owner.getByRole('row', { name: new RegExp(name) }).waitFor()
    } finally {
      svc.remove()
    }
  },
)

test(
  'a second factor is turned on, asked for, stood in for by a recovery code, and turned off',
  { timeout: TEST_MS },
  async () => {
    await owner.goto(`${origin()}/console/account`)
    await owner.getByRole('button', { name: 'Turn it on' }).click()
    // The sign-in may be too long ago by now.
    const again = owner.getByRole('dialog').getByRole('button', { name: 'Enter the sandbox' })
    await owner.getByRole('dialog').getByLabel('Code').or(again).waitFor()
    if (await again.isVisible()) await again.click()
    await owner.getByRole('img', { name: 'The secret for your authenticator app' }).waitFor()
    expect(await faultsOf(owner, 'second-factor-on')).toEqual([])
    const secret = decodeBase32((await owner.getByRole('dialog').locator('code').textContent()) ?? '')
    await owner.getByLabel('Code').fill(totpCode(secret, totpStep(Date.now())))
    await owner.getByRole('dialog').getByRole('button', { name: 'Turn it on' }).click()
    const codes = ((await owner.getByLabel('Recovery codes').textContent()) ?? '').split('\n')
    expect(codes).toHaveLength(10)
    expect(await faultsOf(owner, 'recovery-codes')).toEqual([])
    await owner.getByRole('button', { name: 'I have kept them' }).click()
    await owner.getByText('10 recovery codes are left').waitFor()

    const other = await openPage()
    await other.goto(`${origin()}/console`)
    await other.getByRole('button', { name: 'Enter the sandbox' }).click()
    await other.getByLabel('Code of your authenticator app').fill('000000')
    await other.getByRole('button', { name: 'Continue' }).click()
    await other.getByText('This code is wrong, or was used.').waitFor()
    expect(await nameOfFocus(other)).toBe('Continue')
    expect(await faultsOf(other, 'second-factor')).toEqual([])
    await other.getByLabel('Code of your authenticator app').fill(codes[0] ?? '')
    await other.getByRole('button', { name: 'Continue' }).click()
    await other.locator('#content h1').waitFor()

    await owner.getByRole('button', { name: 'Turn it off' }).click()
    await owner
      .getByRole('dialog')
      .getByLabel('Code')
      .fill(codes[1] ?? '')
    await owner.getByRole('dialog').getByRole('button', { name: 'Turn it off' }).click()
    await owner.getByText('The second factor is off.').waitFor()
  },
)
