import { basename } from 'node:path'
import type { Config } from '../config/config.ts'
import { LIVE_FOLDER } from '../config/data-folder.ts'
import { hasLocalDeposits } from './open-local-chains.ts'

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

/** Commands of another terminal know no upstream, so they get its folder. */
const firstKeyText = ({ dataDir }: Config): string => `
  First account, key and credits:

${basename(dataDir) === LIVE_FOLDER ? `  export SVC_DATA_DIR=${LIVE_FOLDER}\n` : ''}  npm run admin -- account create --name 'My team'
  npm run admin -- credits grant --account ACCOUNT_ID --amount 1000 --reason 'First credits'
  npm run admin -- key create --account ACCOUNT_ID --name laptop
`

const localDepositsText = `  Deposits   local chains start in some seconds; "npm run fund" pays the demo account 25 USDG
`

const quietLogText = `  Log        warnings and errors; SVC_LOG_LEVEL=info shows every request
`

const firstRunText = (address: string): string => `
  This gateway has no operator yet. Open this link once to become its operator:

  ${address}
`

export interface Newcomer {
  /** Null where there is no demo account: then the commands for a first key are shown. */
  readonly demoKey: string | null
  /** The address that lets the first operator in; null when there is one, or none is needed. */
  readonly firstRunAddress: string | null
}

/** What a start tells a person: the base URL, the console, and how to make the first request. */
export function welcome(config: Config, { demoKey, firstRunAddress }: Newcomer): string {
  const origin = originOf(config)
  const baseUrl = `${origin}/api`
  const deposits = hasLocalDeposits(config) ? localDepositsText : ''
  const quiet = config.logLevel === 'warn' ? quietLogText : ''
  const operator = firstRunAddress === null ? '' : firstRunText(firstRunAddress)
  const first = demoKey === null ? firstKeyText(config) : demoText(baseUrl, demoKey)
  return `
  SVC is ready.

  Base URL   ${baseUrl}/v1
  Console    ${origin}/console
  Reference  ${origin}/docs
${deposits}${quiet}${operator}${first}
`
}
