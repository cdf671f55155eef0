/** A real Chromium for tests. */
import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

/** Without its own sandbox, which needs rights that containers and root do not have; pages here are our own. */
const SWITCHES = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--headless']

/** Close it at the end of the test. @throws when no Chromium can be started: a test of pages is never skipped. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: SWITCHES })
}
