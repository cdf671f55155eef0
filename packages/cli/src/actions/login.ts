/** `svc login`: takes a key, tries it, and keeps it. */
import type { Context } from '../context.ts'
import { connectApi } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { DEFAULT_PROFILE, readProfiles, writeProfiles } from '../settings/profile-file.ts'
import { checkedBaseUrl, usualBaseUrl } from '../settings/settings.ts'
import { readPipedText } from '../terminal/read-input.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface LoginOptions {
  /** Opens the page of keys, and asks for one. */
  readonly console?: boolean | undefined
  /** Signs in from a browser, also where none can be opened here. */
  readonly browser?: boolean | undefined
  /** Asks for a key that is there already. */
  readonly key?: boolean | undefined
  /** Asks for a key that may make others. */
  readonly manageKeys?: boolean | undefined
  readonly model?: string | undefined
}

const PROFILE_NAME = /^[\w.-]{1,64}$/
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

export async function login(context: Context, options: LoginOptions): Promise<void> {
  const { terminal } = context
  const file = readProfiles(context.settingsFolder)
  const profile = checkedName(context.options.profile ?? file.current)
  const known = file.profiles[profile]
  const baseUrl = checkedBaseUrl(
    context.options.baseUrl ??
      terminal.environment['SVC_BASE_URL'] ??
      usualBaseUrl(terminal.environment, known?.baseUrl),
  )
  await warnOfPlainHttp(terminal, baseUrl)
  const key = (await keyFromBrowser(context, options, baseUrl)) ?? (await readKey(terminal))
  const api = connectApi({ baseUrl, key, keySource: 'profile', profile, model: null }, terminal, context.options)
  const balance = await api.client.call(api.endpoints.getBalance, {}, { signal: terminal.signal })
  const model = options.model ?? known?.model ?? null
  const profiles = { ...file.profiles, [profile]: { baseUrl, key, model } }
  const written = writeProfiles(context.settingsFolder, { ...file, current: profile, profiles })
  if (context.options.json === true) {
    await printJson(terminal.out, { base_url: baseUrl, profile, key: balance.key, file: written })
    return
  }
  await terminal.notes.line(`Signed in to ${baseUrl} with the key "${balance.key.name}".`)
  const isReplaced = known !== undefined && known.key !== key
  const where = isReplaced ? `It replaces the key of the profile "${profile}"` : `Saved as the profile "${profile}"`
  await terminal.notes.line(`${where} in ${written}, readable by you alone.`)
}

/** @returns null where a key is piped, or is asked for. */
async function keyFromBrowser(context: Context, options: LoginOptions, baseUrl: string): Promise<string | null> {
  const { terminal } = context
  if (options.console === true) await openConsole(terminal, baseUrl)
  const isMeant = terminal.isInteractive && options.key !== true && options.console !== true
  if (options.browser !== true && !isMeant) return null
  const { signInByBrowser } = await import('./browser-sign-in.ts')
  const api = connectApi({ baseUrl, key: null, keySource: null, profile: '', model: null }, terminal, context.options)
  const key = await signInByBrowser(api, terminal, {
    wantsKeys: options.manageKeys === true,
    opensBrowser: terminal.isInteractive,
  })
  if (key !== null || options.browser !== true) return key
  throw new CommandError('This gateway is of an earlier version and knows no sign-in from a browser.', {
    advice: 'Make a key in the console, and pipe it: svc login < key-file',
  })
}

function checkedName(name: string): string {
  if (PROFILE_NAME.test(name)) return name
  throw new CommandError('A profile name has letters, digits, dots and dashes, at most 64.', {
    exitCode: exitCodes.wrongUsage,
  })
}

async function warnOfPlainHttp(terminal: Terminal, baseUrl: string): Promise<void> {
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'https:' || LOOPBACK.has(hostname)) return
  await terminal.notes.line(`Warning: ${baseUrl} is not encrypted: anyone on the network path can read the key.`)
}

async function openConsole(terminal: Terminal, baseUrl: string): Promise<void> {
  const page = `${new URL(baseUrl).origin}/console/keys`
  await terminal.notes.line(`Make a key at ${page}, and paste it here.`)
  const { default: open } = await import('open')
  await open(page).catch(() => undefined)
}

/** From a pipe, or asked for without showing it. Never from an argument: others can read those. */
async function readKey(terminal: Terminal): Promise<string> {
  const piped = await readPipedText(terminal.input)
  const key = piped === null ? await askForKey(terminal) : piped.trim()
  if (/^sk-svc-[\w-]{8,}$/.test(key)) return key
  throw new CommandError('That is not a key: one begins with sk-svc-.', {
    advice: 'Make one in the console, or take the one that `npm start` printed.',
    exitCode: exitCodes.wrongUsage,
  })
}

async function askForKey(terminal: Terminal): Promise<string> {
  if (!terminal.isInteractive) {
    throw new CommandError('There is no key.', {
      advice: 'Pipe one: svc login < key-file',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const { password, isCancel } = await import('@clack/prompts')
  const answer = await password({
    message: 'API key',
    signal: terminal.signal,
    output: terminal.notesStream,
  })
  if (isCancel(answer)) throw new CommandError('Nothing changed.', { exitCode: exitCodes.interrupted })
  return answer.trim()
}

/** `svc logout`: forgets the key of a profile. */
export async function logout(context: Context): Promise<void> {
  const file = readProfiles(context.settingsFolder)
  const name = context.options.profile ?? file.current
  const { [name]: gone, ...profiles } = file.profiles
  if (gone === undefined) {
    throw new CommandError(`There is no profile "${name}".`, { exitCode: exitCodes.notSignedIn })
  }
  const [next = DEFAULT_PROFILE] = name === file.current ? Object.keys(profiles) : [file.current]
  writeProfiles(context.settingsFolder, { ...file, current: next, profiles })
  await context.terminal.notes.line(`Forgot the key of "${name}". It stays valid until it is revoked in the console.`)
}
