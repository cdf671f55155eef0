import { findChromium } from './find-chromium.ts'

/**
 * Vitest calls this before the first test file. The package unpacks its browser to one place of the machine: a test file
 * that did so while another one started the browser would find a file that is still being written.
 */
export async function setup(): Promise<void> {
  await findChromium()
}
