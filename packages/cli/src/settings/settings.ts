/** Which gateway a command talks to and with which key: from options, the environment, or the profile. */
import { trimEndOf } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { ProfileFile } from './profile-file.ts'

/** Where `npm start` serves a gateway on this machine. */
export const DEFAULT_BASE_URL = 'http://localhost:8787/api'
const LOCAL_BASE_URL = /^http:\/\/localhost:\d+\/api$/

/**
 * The address where the command names none: that of the profile, else the gateway of this machine. One of this machine
 * is on the port that `SVC_PORT` says, as for `npm start`; Kubernetes sets that name to something else, which is no
 * port.
 */
export function usualBaseUrl(environment: SettingsInput['environment'], known: string | undefined): string {
  const port = environment['SVC_PORT'] ?? ''
  const isLocal = known === undefined || LOCAL_BASE_URL.test(known)
  if (isLocal && /^[1-9]\d{0,4}$/.test(port)) return `http://localhost:${port}/api`
  return known ?? DEFAULT_BASE_URL
}

export interface Settings {
  /** Ends in `/api`, without a slash after it. */
  readonly baseUrl: string
  /** Null when no profile is signed in. */
  readonly key: string | null
  /** What the key came from, to tell people. */
  readonly keySource: 'environment' | 'profile' | null
  readonly profile: string
  /** Model of `svc chat` where none is named; null for the built-in one. */
  readonly model: string | null
}

export interface SettingsInput {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly file: ProfileFile
  readonly profile?: string | undefined
  readonly baseUrl?: string | undefined
}

/** @throws {CommandError} when the address is not one, or the named profile does not exist. */
export function resolveSettings({ environment, file, profile: asked, baseUrl: given }: SettingsInput): Settings {
  const name = asked ?? file.current
  const profile = file.profiles[name] ?? null
  if (asked !== undefined && profile === null) {
    throw new CommandError(`There is no profile "${asked}".`, {
      advice: `Make it with \`svc login --profile ${asked}\`, or see \`svc profiles\`.`,
      exitCode: exitCodes.wrongUsage,
    })
  }
  // A profile that is named on the command line is meant, whatever the environment holds.
  const named = asked === undefined ? undefined : profile?.baseUrl
  const baseUrl = given ?? named ?? filled(environment['SVC_BASE_URL']) ?? usualBaseUrl(environment, profile?.baseUrl)
  const fromEnvironment = asked === undefined ? filled(environment['SVC_API_KEY']) : undefined
  // A profile's key belongs to its own gateway: it is never sent to another one.
  const own = profile !== null && sameGateway(baseUrl, profile.baseUrl) ? profile.key : null
  const key = fromEnvironment ?? own
  return {
    baseUrl: checkedBaseUrl(baseUrl),
    key,
    keySource: key === null ? null : fromEnvironment === undefined ? 'profile' : 'environment',
    profile: name,
    model: profile?.model ?? null,
  }
}

function sameGateway(one: string, other: string): boolean {
  return checkedBaseUrl(one) === checkedBaseUrl(other)
}

function filled(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim()
}

/**
 * Checks the address of a gateway, and gives it without a slash or `/v1` at its end, which people copy with it.
 *
 * @throws {CommandError} when it is not an http or https address.
 */
export function checkedBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') {
    throw new CommandError('The base URL is not an address such as https://ai.example.com/api.', {
      advice: 'Set it with --base-url, SVC_BASE_URL or `svc login`.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const path = trimEndOf(url.pathname, '/').replace(/\/v1$/, '')
  return `${url.origin}${path === '' ? '/api' : path}`
}
