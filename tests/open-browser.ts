/** A real Chromium for tests: the one that comes as a package, or the one of the machine. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Without its own sandbox, which needs rights that containers and root do not have; pages here are our own. */
const SWITCHES = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--headless']

/**
 * The package has no windows at all, which takes a fifth of the time of a whole browser; it is made for Linux alone.
 */
async function findChromium(): Promise<string> {
  if (process.platform === 'linux') return (await import('@sparticuz/chromium')).default.executablePath()
  const installed = INSTALLED.find((place) => existsSync(place))
  if (installed === undefined) throw new Error(`Install Chromium as one of ${INSTALLED.join(', ')}.`)
  return installed
}

/** Close it at the end of the test. @throws when no Chromium can be started: a test of pages is never skipped. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: SWITCHES })
}
