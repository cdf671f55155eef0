/**
 * What the tests of the console share: the built pages in a browser, what they complain of, and what is wrong there.
 */
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildConsole } from '../tools/console/build-console.ts'
import { openBrowser } from './open-browser.ts'

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** Long enough for the slowest machine: a test waits for a thing, and goes on as soon as it is there. */
const PATIENCE_MS = 30_000

/** How long a test of pages may take before it counts as stuck. */
export const TEST_MS = 120_000

/**
 * The pages as people get them, and a browser to see them with. Before a gateway, which looks for the pages as it
 * starts. Close it at the end of the file.
 */
export async function openConsole(): Promise<Browser> {
  await buildConsole()
  return openBrowser()
}

/** Where a gateway's console is: by a name, since browsers take passkeys and wallets for names alone. */
export const originOf = (gateway: { readonly baseUrl: string }): string =>
  new URL(gateway.baseUrl).origin.replace('127.0.0.1', 'localhost')

export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** What pages said in the browser's console: refused styles, scripts and calls among it. */
  readonly complaints: string[]
  /** Where the pages' bytes came from. */
  readonly hosts: Set<string>
}

/** A browser's profile without a session, on a desk. `prepare` runs before its first page. */
export async function openVisit(
  browser: Browser,
  prepare: (context: BrowserContext) => Promise<unknown> = () => Promise.resolve(),
): Promise<Visit> {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESK })
  context.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  const hosts = new Set<string>()
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(String(error.error())))
  context.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).host)
  })
  await prepare(context)
  return { context, page: await context.newPage(), complaints, hosts }
}

/** Enters the sandbox, and waits for the page that was asked for. */
export async function enterSandbox(page: Page, gateway: { readonly baseUrl: string }, place = ''): Promise<void> {
  await page.goto(`${originOf(gateway)}/console${place}`)
  await page.getByRole('button', { name: 'Enter the sandbox' }).click()
  await page.locator('#content h1').waitFor()
}

/** Waits until the page has loaded: its title is there, and nothing of it is on its way. */
export async function untilItStands(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  // No function that is asked again and again: the pages allow no code from text.
  await page.locator('main [aria-label=Loading], main [data-skeleton]').first().waitFor({ state: 'detached' })
}

/** What depends on colours alone. */
const COLOUR_RULES = `runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }`

/**
 * What a checker of accessibility finds on the loaded page, or in the dialog that is open there: everything in light,
 * and in dark what depends on colours. It also reports a page that is wider than the window.
 */
export async function faultsOf(page: Page): Promise<unknown[]> {
  await untilItStands(page)
  if (await page.evaluate<boolean>(`globalThis.axe === undefined`)) await page.evaluate(axe.source)
  const check = async (theme: string, rules: string): Promise<unknown[]> => {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(
      document.querySelector('[role=dialog]') ?? document,
      { resultTypes: ['violations'], preload: false, ${rules} },
    )`)
    return violations.map(({ id, nodes }) => ({ theme, id, at: nodes.map(({ html }) => html.slice(0, 160)) }))
  }
  const faults: unknown[] = [...(await check('dark', COLOUR_RULES)), ...(await check('light', ''))]
  const [over, small] = [await overhang(page), await smallTargets(page)]
  if (over > 0) faults.push({ over, at: page.url() })
  if (small.length > 0) faults.push({ small, at: page.url() })
  return faults
}

/**
 * What can be pressed and is smaller than 24 × 24 pixels, whatever is around it. A link inside of a sentence is as high
 * as its line, and one that reaches over its whole row is as large as that. Source: WCAG 2.2, 2.5.8.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [role=button], [role^=menuitem], [role=option], [role=tab]',
  )].flatMap((control) => {
    if (!control.checkVisibility({ visibilityProperty: true })) return []
    const isOverRow = getComputedStyle(control, '::after').position === 'absolute'
    const label = [...(control.labels ?? [])].find((each) => each.contains(control))
    const { width, height } = (isOverRow ? control.offsetParent : (label ?? control)).getBoundingClientRect()
    const isUnseen = label === undefined && getComputedStyle(control).clipPath !== 'none'
    const isInText = getComputedStyle(control).display === 'inline' &&
      [...control.parentElement.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')
    if (isUnseen || isInText || Math.min(width, height) > 23.99) return []
    return [(control.ariaLabel ?? control.textContent) + ' ' + width + ' × ' + height]
  })`)

/** What the keyboard acts on once it has a place, by its name; a dialog that was left gives the focus back first. */
export async function nameOfFocus(page: Page): Promise<string> {
  const focus = page.locator(':focus')
  await focus.waitFor()
  return (await focus.getAttribute('aria-label')) ?? (await focus.innerText())
}

/** How often a key is pressed to go through what a page has. */
const TABS_MAX = 80

/**
 * Goes through the page with the Tab key, and names what gets the focus while something else covers it. Source: WCAG
 * 2.2, 2.4.11.
 */
export async function coveredFocus(page: Page): Promise<string[]> {
  const covered: string[] = []
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate<string | null>(`(() => {
      const control = document.activeElement
      if (control === null || control === document.body) return null
      const { left, top, width, height } = control.getBoundingClientRect()
      const seen = document.elementFromPoint(left + width / 2, top + height / 2)
      const isSeen = height > innerHeight || (seen !== null && (control.contains(seen) || seen.contains(control)))
      return isSeen ? '' : control.outerHTML.slice(0, 120)
    })()`)
    if (found === null) return presses === 0 ? ['nothing takes the focus'] : covered
    if (found !== '') covered.push(found)
  }
  return covered
}

/** By how many pixels the page is wider than what it is seen through. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Tables that a phone would have to scroll sideways to read, by the names of what holds them. */
export const cutTables = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[role=region]:has(> table)')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((region) => region.ariaLabel ?? '')`)

/** By how many pixels the page can be scrolled down. */
export const overrun = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollHeight - document.documentElement.clientHeight')

/** Goes to one of the places beside every page; on a phone to those of the bar at the bottom, or under "More". */
export async function openPlace(page: Page, name: string): Promise<void> {
  const places = page.getByRole('navigation', { name: 'Places' }).filter({ visible: true })
  const link = places.getByRole('link', { name, exact: true })
  await places.getByRole('link').first().waitFor()
  if ((await link.count()) > 0) await link.click()
  else {
    await places.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}
