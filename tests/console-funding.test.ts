/** The pages about funding in a real browser: from a payment on a chain to credits, and the statement that has both. */
import { readFile } from 'node:fs/promises'
import { nanocreditsOf, parseCredits } from '@svc/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depositSettings } from '../packages/server/testing/deposit-gateway.ts'
import { type EvmChain, hasEvm, startEvmChain, usdg } from '../packages/server/testing/evm-chain.ts'
import { grant } from '../packages/server/testing/ledger-operations.ts'
import { addPageWallet, type PageWallet } from '../packages/server/testing/page-wallet.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import {
  cutTables,
  enterSandbox,
  faultsOf,
  openConsole,
  openPlace,
  openVisit,
  originOf,
  PHONE,
  TEST_MS,
  type Visit,
} from './console-pages.ts'

const TREASURY = `0x${'7e'.repeat(20)}`

let browser: Browser
beforeAll(async () => {
  browser = await openConsole()
}, TEST_MS)
afterAll(() => browser.close())

/** The browser reports what the gateway refuses, too; the pages show it. */
const faultsAmong = (complaints: readonly string[]): string[] =>
  complaints.filter((text) => !text.includes('the server responded with'))

const balanceOf = (page: Page): Promise<string> => page.getByRole('status', { name: 'Credits available' }).innerText()

describe.skipIf(!hasEvm())('funding', () => {
  let chain: EvmChain
  beforeAll(async () => {
    chain = await startEvmChain()
    await chain.mint(chain.accounts[1]!.address, usdg(1_000))
  }, TEST_MS)
  afterAll(() => chain.stop())

  describe('by an address of the account', () => {
    const gateway = useGateway(() => depositSettings(chain, { deposits: { watch_ms: 100 } }))
    let page: Page
    let pages: Visit
    let wallet: PageWallet
    beforeAll(async () => {
      pages = await openVisit(browser, async (context) => {
        wallet = await addPageWallet(context, chain)
      })
      page = pages.page
    }, TEST_MS)
    afterAll(() => pages.context.close())

    test('one click in a wallet becomes credits, and the page shows how', { timeout: TEST_MS }, async () => {
      await enterSandbox(page, gateway, '/fund')
      await page.getByRole('img', { name: 'Code for paying USDG on Robinhood Chain' }).waitFor()
      expect(await page.getByTestId('deposit-address').innerText()).toMatch(/^0x[0-9a-fA-F]{40}$/)
      await page.getByText('No deposit yet.').waitFor()

      await page.getByRole('button', { name: '$10 10,000 credits' }).click()
      expect(await page.getByLabel('Amount in USDG').inputValue()).toBe('10')
      await page.getByLabel('Amount in USDG').fill('25')
      await page.getByText('25,000 credits.', { exact: true }).waitFor()
      wallet.declineNext()
      await page.getByRole('button', { name: 'Send with Test Wallet' }).click()
      await page.getByRole('alert').getByText('You declined it in the wallet.').waitFor()
      await page.getByRole('button', { name: 'Send with Test Wallet' }).click()
      await page.getByText('Its block could still leave the chain.').waitFor()
      expect(wallet.asked).toContain('wallet_switchEthereumChain')
      expect(await page.getByRole('listitem').filter({ hasText: 'Final' }).getAttribute('aria-current')).toBe('step')
      expect(await balanceOf(page)).toBe('0 credits')
      expect(await faultsOf(page)).toEqual([])

      // The address names the payment, so a reload goes on with it; nothing else has to be done.
      await page.reload()
      await page.getByText(/credited once the block is final, in about \d+ /).waitFor()
      await chain.finalise()
      await page.getByText('Its credits are in the balance.').waitFor()
      await expect.poll(() => balanceOf(page)).toBe('25,000 credits')
    })

    test('a deposit has an address of its own, and a receipt', { timeout: TEST_MS }, async () => {
      await page.getByRole('region', { name: 'List of deposits' }).getByRole('link').first().click()
      const drawer = page.getByRole('dialog', { name: 'Deposit' })
      await drawer.getByText('Its credits are in the balance.').waitFor()
      await page.reload()
      await drawer.getByText('25 USDG').waitFor()
      await drawer.getByLabel('Mail the receipt to').fill('Ada <ada@example.com>')
      await drawer.getByRole('button', { name: 'Send the receipt' }).click()
      await drawer.getByText('One plain address').waitFor()
      await drawer.getByLabel('Mail the receipt to').fill('ada@example.com')
      await drawer.getByRole('button', { name: 'Send the receipt' }).click()
      await drawer.getByText('The receipt is on its way.').waitFor()
      const saved = page.waitForEvent('download')
      await drawer.getByRole('button', { name: 'Download the receipt' }).click()
      expect(await readFile(await (await saved).path(), 'utf8')).toContain('"kind": "deposit"')
      expect(await faultsOf(page)).toEqual([])
      await drawer.getByRole('link', { name: 'Printable receipt' }).click()
      const receipt = page.getByRole('article', { name: 'Receipt' })
      await receipt.getByText('$25.00', { exact: true }).waitFor()
      expect(await faultsOf(page)).toEqual([])
      await page.getByRole('main').getByRole('link', { name: 'Funding' }).click()
    })

    test('a claim by hash says what is wrong, and finds what is right', { timeout: TEST_MS }, async () => {
      const claim = async (hash: string): Promise<void> => {
        await page.getByLabel('Transaction hash').fill(hash)
        await page.getByRole('button', { name: 'Look for it' }).click()
      }
      await claim('0x1234')
      await page.getByText('A transaction hash is 0x and 64 hex digits.').waitFor()
      await claim(`0x${'12'.repeat(32)}`)
      await page.getByText('does not know this transaction').waitFor()
      const address = await page.getByTestId('deposit-address').innerText()
      const hash = await chain.payEther(address.toLowerCase() as `0x${string}`, 10n ** 16n)
      await chain.finalise()
      await claim(hash.slice(2).toUpperCase())
      const other = page.getByRole('link', { name: 'Look for it as ETH' })
      await other.waitFor()
      expect(await faultsOf(page)).toEqual([])
      await other.click()
      await page.getByRole('img', { name: 'Code for paying ETH on Robinhood Chain' }).waitFor()
      // What it is worth now, by the feed that values it: 2,500 dollars for one.
      await page.getByRole('button', { name: '$25 about 25,000 credits' }).click()
      expect(await page.getByLabel('Amount in ETH').inputValue()).toBe('0.01')
      await page.getByText(/^Worth \$25\.00 now, about 25,000 credits\. 1 ETH is \$2,500\.00, asked /).waitFor()
      await page.getByText('Its credits are in the balance.').waitFor()
      await expect.poll(() => balanceOf(page)).toBe('50,000 credits')
    })

    test(
      'the statement of the month adds up to the balance, on the page and in the file',
      { timeout: TEST_MS },
      async () => {
        await page.getByRole('link', { name: 'Monthly statement' }).click()
        const sums = page.getByRole('table', { name: 'The month in sums' })
        await sums.waitFor()
        const amounts = (await sums.getByRole('cell').allInnerTexts()).map((text) => {
          const [credits = ''] = text.split(' credits')
          return (
            parseCredits(credits.trim().replaceAll(',', '').replace('−', '-').replace('+', '')) ?? expect.fail(text)
          )
        })
        const closing = amounts.at(-1)
        expect(amounts.slice(0, -1).reduce((sum, amount) => sum + amount, 0n)).toBe(closing)
        expect(closing).toBe(50_000n * 1_000_000_000n)
        const list = page.getByRole('region', { name: 'List of entries' })
        expect(await list.getByRole('row').count()).toBe(3)
        expect(await list.getByRole('row').last().getByRole('cell').last().innerText()).toBe('50,000')
        expect(await faultsOf(page)).toEqual([])
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'Export CSV' }).click(),
        ])
        const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
        expect(lines).toHaveLength(5)
        expect(lines.at(-1)).toContain(',closing,,,,50000,')
        // On paper there is the statement and nothing to click.
        await page.emulateMedia({ media: 'print' })
        expect(await page.getByRole('navigation', { name: 'Places' }).isVisible()).toBe(false)
        expect(await page.getByRole('link', { name: 'Export CSV' }).isVisible()).toBe(false)
        expect(await sums.isVisible()).toBe(true)
        await page.emulateMedia({ media: 'screen' })
      },
    )

    test('on a phone nothing is wider than the screen', { timeout: TEST_MS }, async () => {
      await page.setViewportSize(PHONE)
      for (const name of ['statement', 'fund']) {
        if (name === 'fund') await page.getByRole('main').getByRole('link', { name: 'Funding' }).click()
        await page.getByRole('heading', { level: 1, name: name === 'fund' ? 'Funding' : /^Statement/ }).waitFor()
        expect(await faultsOf(page)).toEqual([])
        expect(await cutTables(page)).toEqual([])
      }
    })

    test('pages ask no origin but this, and nothing of them was refused', () => {
      expect([...pages.hosts]).toEqual([new URL(originOf(gateway)).host])
      expect(faultsAmong(pages.complaints)).toEqual([])
    })
  })

  test('where all pay to one address, the wallet is linked first', { timeout: TEST_MS }, async () => {
    const { env, file } = depositSettings(chain, { deposits: { watch_ms: 100 } })
    const treasury = { SVC_DEPOSIT_MODE: 'treasury', SVC_DEPOSIT_TREASURY: TREASURY }
    const gateway = await startTestGateway({ file, env: { ...env, ...treasury } })
    const { context, page, complaints } = await openVisit(browser, (visited) => addPageWallet(visited, chain))
    await enterSandbox(page, gateway, '/fund')
    await page.getByText('Link the wallet that you pay from first').waitFor()
    expect(await page.getByTestId('deposit-address').count()).toBe(0)
    await page.getByRole('button', { name: 'Link Test Wallet' }).click()
    await page.getByText(chain.accounts[1]!.address).waitFor()
    expect((await page.getByTestId('deposit-address').innerText()).toLowerCase()).toBe(TREASURY)
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Amount in USDG').fill('2')
    await page.getByRole('button', { name: 'Send with Test Wallet' }).click()
    await page.getByText('Its block could still leave the chain.').waitFor()
    await chain.finalise()
    await page.getByText('Its credits are in the balance.').waitFor()
    await page.getByRole('button', { name: 'Unlink' }).click()
    await page.getByRole('heading', { name: /^Unlink 0x/ }).waitFor()
    await page.getByRole('button', { name: 'Unlink the wallet' }).click()
    await page.getByText('Link the wallet that you pay from first').waitFor()
    expect(faultsAmong(complaints)).toEqual([])
    await context.close()
    await gateway.stop()
  })
})

test(
  'where no deposits are taken the page says so; a month that is over has an invoice',
  { timeout: TEST_MS },
  async () => {
    // Forty days ago something is charged.
    let agoMs = 40 * 86_400_000
    const gateway = await startTestGateway({ clock: { now: () => Date.now() - agoMs } })
    const before = await openVisit(browser)
    await enterSandbox(before.page, gateway)
    const [, teamId = ''] = /team\/([^/?]+)/.exec(before.page.url()) ?? []
    await before.context.close()
    const { database, ledger } = gateway.gateway
    const team = database.read.selectFrom('team').select('account_id').where('team_id', '=', teamId)
    const { account_id: accountId } = await team.executeTakeFirstOrThrow()
    await ledger.submit(grant(accountId, nanocreditsOf(10n ** 12n), { now: Date.now() - agoMs }))
    const { rawKey } = await gateway.createKey({ accountId, teamId, name: 'a key' })
    const body = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Hello' }] }
    expect((await gateway.chat(body, { key: rawKey })).status).toBe(200)
    agoMs = 0
    const { context, page, complaints } = await openVisit(browser)
    await enterSandbox(page, gateway, '/fund')
    await page.getByText('npm run fund').waitFor()
    expect(await faultsOf(page)).toEqual([])

    await page.getByText('Invoices need the name and address of the business').waitFor()
    await openPlace(page, 'Settings')
    await page.getByLabel('Name of the business').fill('Gateways Ltd')
    await page.getByLabel('Address of the business').fill('2 Row\nDublin')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved: the settings').waitFor()
    await openPlace(page, 'Funding')
    await page.getByRole('button', { name: 'Billing details' }).click()
    await page.getByLabel('Name of the business or person').fill('Ada & Co.')
    await page.getByLabel('Address', { exact: true }).fill('1 Loop')
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Issue the invoice' }).click()
    const invoice = page.getByRole('article', { name: 'Invoice INV-000001' })
    for (const text of ['Gateways Ltd', 'Ada & Co.', 'svc-gpt']) await invoice.getByText(text).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('link', { name: 'Download CSV' }).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await page.setViewportSize(PHONE)
    expect(await faultsOf(page)).toEqual([])
    expect(faultsAmong(complaints)).toEqual([])
    await context.close()
    await gateway.stop()
  },
)
