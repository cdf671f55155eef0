/** Signs a terminal in from a browser: RFC 8628. */
import { hostname } from 'node:os'
import { ApiError, DEVICE_NAME_LENGTH_MAX } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { pause } from '../terminal/pause.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** A gateway that asks for longer pauses is believed up to this, in seconds. Source: own choice. */
const PAUSE_SECONDS_MAX = 60

export interface BrowserSignIn {
  /** Whether the key shall make others. */
  readonly wantsKeys: boolean
  /** Whether a browser is opened here; the address is printed in any case. */
  readonly opensBrowser: boolean
}

/**
 * Shows a code, and waits until a person has typed it on the gateway's page and decided.
 *
 * @returns the key; null where the gateway is of an earlier version and knows no such way.
 * @throws {CommandError} when it was refused, or nobody decided in time.
 */
export async function signInByBrowser(
  { client, endpoints }: ApiConnection,
  terminal: Terminal,
  { wantsKeys, opensBrowser }: BrowserSignIn,
): Promise<string | null> {
  const { signal } = terminal
  const body = { device_name: machineName(hostname()), wants_keys: wantsKeys }
  let codes
  try {
    codes = await client.call(endpoints.requestDeviceCode, { body }, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
  await terminal.notes.line(`Open ${codes.verification_uri}`)
  await terminal.notes.line(`and type this code there: ${codes.user_code}`)
  await terminal.notes.line('Never give the code to anyone. Waiting …')
  if (opensBrowser && isWebAddress(codes.verification_uri)) {
    const { default: open } = await import('open')
    await open(codes.verification_uri).catch(() => undefined)
  }
  let seconds = codes.interval
  for (;;) {
    await pause(Math.min(PAUSE_SECONDS_MAX, Math.max(1, seconds)), signal)
    const poll = { body: { device_code: codes.device_code } }
    const { status, key, interval } = await client.call(endpoints.pollDeviceToken, poll, { signal })
    seconds = interval
    if (status === 'approved' && key !== null) return key
    if (status === 'denied') throw new CommandError('The sign-in was refused in the browser.', notSignedIn)
    if (status !== 'pending') {
      throw new CommandError('The code has expired.', { ...notSignedIn, advice: 'Start again: svc login' })
    }
  }
}

/** Other schemes start other programs of the machine: no gateway has a reason to name one. */
export function isWebAddress(text: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')
}

const notSignedIn = { exitCode: exitCodes.notSignedIn } as const

/** As much of the machine's name as the gateway takes. */
export function machineName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9 ._'-]/g, '-').replace(/^[^A-Za-z0-9]+/, '')
  const cut = plain.slice(0, DEVICE_NAME_LENGTH_MAX).trim()
  return cut === '' ? 'a machine' : cut
}
