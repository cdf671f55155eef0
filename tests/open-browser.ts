/** A real Chromium for tests: the one of the machine, or the one that comes as a package. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Without its own sandbox, which needs rights that containers and root do not have; pages here are our own. */
const SWITCHES = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--headless']

async function findChromium(): Promise<string> {
  const installed = INSTALLED.find((place) => existsSync(place))
  if (installed !== undefined) return installed
  const packaged = await import('@sparticuz/chromium')
  return packaged.default.executablePath()
}

/** Close it at the end of the test. @throws when no Chromium can be started: a test of pages is never skipped. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: SWITCHES })
}
