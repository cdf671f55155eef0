/** Where the browser of the tests is: the one that comes as a package, or the one of the machine. */
import { existsSync } from 'node:fs'

const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/**
 * The package has no windows at all, which takes a fifth of the time of a whole browser; it is made for Linux alone.
 */
export async function findChromium(): Promise<string> {
  if (process.platform === 'linux') return (await import('@sparticuz/chromium')).default.executablePath()
  const installed = INSTALLED.find((place) => existsSync(place))
  if (installed === undefined) throw new Error(`Install Chromium as one of ${INSTALLED.join(', ')}.`)
  return installed
}
