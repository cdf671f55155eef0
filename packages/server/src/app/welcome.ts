import { isAbsolute, relative } from 'node:path'
import type { Config } from '../config/config.ts'
import { TEST_FOLDER } from '../config/data-folder.ts'
import { fileVariableOf } from '../config/secret-files.ts'
import { hasLocalDeposits } from './open-local-chains.ts'

/** The port that commands try by themselves. */
const USUAL_PORT = 8787

/** What commands of another terminal need and a screen must not show. */
const SECRET_SETTINGS = ['SVC_DATABASE_URL', 'SVC_KEY_PEPPER'] as const

function originOf(config: Config): string {
  return config.publicUrl ?? `http://localhost:${config.port}`
}

function demoText(baseUrl: string, key: string): string {
  return `
  Key        ${key}
             (demo account with test credits; also in the file demo-key of the data folder)

  Try it:

  curl ${baseUrl}/v1/chat/completions \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"svc-gpt","messages":[{"role":"user","content":"Hello!"}]}'
`
}

/** Another terminal has none of this one's settings: without them its commands would look for another store. */
function firstKeyText({ dataDir }: Config, { env, workingDir, adminCommand }: StartPlace): string {
  const folder = folderSetting(dataDir, workingDir)
  const secrets = SECRET_SETTINGS.flatMap((name) => [name, fileVariableOf(name)]).filter(
    (name) => (env[name] ?? '').trim() !== '',
  )
  const lines = [
    ...(folder === null ? [] : [`export ${folder}`]),
    ...(secrets.length === 0 ? [] : [`# in another terminal set ${secrets.join(' and ')} as for this start`]),
    `${adminCommand} account create --name 'My team'`,
    `${adminCommand} credits grant --account ACCOUNT_ID --amount 1000 --reason 'First credits'`,
    `${adminCommand} key create --account ACCOUNT_ID --name laptop`,
  ]
  return `
  First account, key and credits:

${lines.map((line) => `  ${line}\n`).join('')}`
}

/** The variable that leads a command to a folder; null where the command finds it by itself. */
function folderSetting(dataDir: string, workingDir: string): string | null {
  const path = relative(workingDir, dataDir)
  if (path === TEST_FOLDER) return null
  const isInside = path !== '' && !path.startsWith('..') && !isAbsolute(path)
  return `SVC_DATA_DIR=${quoted(isInside ? path : dataDir)}`
}

/** As a shell takes it. */
const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

function localDepositsText({ dataDir, port }: Config, { workingDir }: StartPlace): string {
  const folder = folderSetting(dataDir, workingDir)
  const settings = [...(folder === null ? [] : [folder]), ...(port === USUAL_PORT ? [] : [`SVC_PORT=${port}`])]
  const command = [...settings, 'npm run fund'].join(' ')
  return `  Deposits   local chains start in some seconds; "${command}" pays the demo account 25 USDG\n`
}

const quietLogText = `  Log        warnings and errors; SVC_LOG_LEVEL=info shows every request
`

const firstRunText = (address: string): string => `
  This gateway has no operator yet. Open this link once to become its operator:

  ${address}
`

/** A link to pages that are not there would end at an empty page. */
const unbuiltText = `
  This gateway has no operator yet, and its console is not built. Stop it, run "npm run build" and start it again:
  the start then prints the link by which the first operator enters.
`

export interface Newcomer {
  /** Null where there is no demo account: then the commands for a first key are shown. */
  readonly demoKey: string | null
  /** The address that lets the first operator in; null when there is one, or none is needed. */
  readonly firstRunAddress: string | null
  readonly isConsoleBuilt: boolean
}

/** Where and how the gateway was started: the commands that it shows are to work from there. */
export interface StartPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workingDir: string
  /** What an operator command begins with, such as `npm run admin --`. */
  readonly adminCommand: string
}

/** What a start tells a person: the base URL, the console, and how to make the first request. */
export function welcome(config: Config, newcomer: Newcomer, place: StartPlace): string {
  const { demoKey, firstRunAddress, isConsoleBuilt } = newcomer
  const origin = originOf(config)
  const baseUrl = `${origin}/api`
  const deposits = hasLocalDeposits(config) ? localDepositsText(config, place) : ''
  const quiet = config.logLevel === 'warn' ? quietLogText : ''
  const way = isConsoleBuilt ? firstRunText : (): string => unbuiltText
  const operator = firstRunAddress === null ? '' : way(firstRunAddress)
  const first = demoKey === null ? firstKeyText(config, place) : demoText(baseUrl, demoKey)
  return `
  SVC is ready.

  Base URL   ${baseUrl}/v1
  Console    ${isConsoleBuilt ? `${origin}/console` : 'not built; "npm run build" builds it'}
  Reference  ${origin}/docs
${deposits}${quiet}${operator}${first}`
}
