/**
 * One fuzz run: every endpoint of the gateway's own document, every row of the console, every smuggling case, and an
 * upstream that answers anything in every dialect.
 */
import type { ProgramEnd } from '../../packages/server/testing/gateway-rig.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import { startMailServer, type TestMailServer } from '../../packages/server/testing/mail-server.ts'
import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'
import { buildConsole } from '../../tools/console/build-console.ts'
import { openRig, type Rig, type RigOptions } from '../rig/gateway-rig.ts'
import type { StorageOptions } from '../rig/storage.ts'
import { isFault } from '../rig/log-faults.ts'
import { stopInOrder } from '../rig/stop-in-order.ts'
import { adminCases } from './admin-cases.ts'
import { type ConsolePerson, openConsolePerson } from './console-person.ts'
import { readConsoleTarget } from './console-target.ts'
import { upstreamsAt } from './fuzz-models.ts'
import { BODY_BYTES_MAX, fuzzOperation, type OperationResult, type OperationStage } from './fuzz-operation.ts'
import { furnishTeam } from './furnish-team.ts'
import { type FuzzTarget, readFuzzTarget } from './fuzz-target.ts'
import { type HostileUpstream, startHostileUpstream } from './hostile-upstream.ts'
import { KnownNames } from './known-names.ts'
import { makeThings } from './make-things.ts'
import { runAdminPort, runSandboxPort, runSmuggling, sendSlowly } from './run-smuggling.ts'
import { openSignInTarget, signInIds } from './sign-in/sign-in-target.ts'
import { runWalletAttacks } from './sign-in/wallet-attacks.ts'
import { smugglingCases } from './smuggling-cases.ts'

export interface FuzzOptions extends StorageOptions {
  readonly seed: number
  /** Requests to each endpoint. */
  readonly requests: number
  /** Requests to each row of the console. */
  readonly consoleRequests: number
  /** Where the requests to each begin: a number, or the path of one that shrank. */
  readonly path: string
  /** Connections at a time. */
  readonly connections: number
  /** Senders of slow headers; they take more than half a minute. */
  readonly slowSenders: number
  /** Ids of the only operations to ask; null for all. */
  readonly only: readonly string[] | null
  /** Requests to each operation that asks an upstream, while circuit breakers leave failing ones alone. */
  readonly breakerRequests: number
  readonly onOperation?: (result: OperationResult) => void
}

export interface FuzzReport {
  readonly operations: readonly OperationResult[]
  readonly smugglingCases: number
  readonly upstreamAnswers: number
  readonly slowMs: readonly (number | null)[]
  /** Beyond those of single requests: smuggling, crashes, the log, open holds. */
  readonly faults: readonly string[]
  readonly audit: ProgramEnd
  readonly seconds: number
}

const LIMITS = {
  chat_body_bytes: BODY_BYTES_MAX,
  image_form_bytes: 256 * 1024,
  upload_stall_ms: 2_000,
  first_content_ms: 300,
  journal_ms: 500,
} as const
/** How long a failing model is left alone while breakers are on, in milliseconds: short, so that they open often. */
const BREAKER_OPEN_MS = 50
/** How long the gateway waits for the upstream, in milliseconds. */
const PATIENCE_MS = 1_200
const CREDITS = 100_000_000n
/** Random requests to the port of metrics; each is a connection. */
const ADMIN_REQUESTS_MAX = 300
/** Some calls have limits by key that cannot be widened; so many keys take turns. */
const KEYS = 150

interface Stage {
  readonly rig: Rig
  readonly rawKeys: readonly [string, ...string[]]
  readonly upstream: HostileUpstream
  readonly mail: TestMailServer
  readonly adminPort: number
  readonly known: KnownNames
  readonly options: FuzzOptions
  readonly faults: string[]
}

interface Ports {
  readonly mailUrl: string
  /** Of metrics and probes. */
  readonly adminPort: number
}

function rigOptions(
  { engine, postgresUrl }: StorageOptions,
  upstream: HostileUpstream,
  { mailUrl, adminPort }: Ports,
): RigOptions {
  return {
    ...{ engine, postgresUrl, limits: LIMITS, patienceMs: PATIENCE_MS },
    upstreamUrl: `${upstream.origin}/v1`,
    more: upstreamsAt(upstream.origin),
    env: {
      SVC_SMTP_URL: mailUrl,
      SVC_ADMIN_PORT: String(adminPort),
      SVC_MAIL_FROM: 'SVC <no-reply@gateway.example>',
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_SIGNUP: 'open',
      SVC_SESSION_SECRET: 'the session secret of this proof is long',
    },
  }
}

async function startGateway({ rig, faults }: Stage): Promise<GatewayProcess> {
  const port = await findFreePort()
  return rig.start(port, { onLine: (line) => isFault(line) && void faults.push(line.slice(0, 2_000)) })
}

interface Console {
  readonly target: FuzzTarget
  readonly person: ConsolePerson
}

interface Asked {
  readonly target: FuzzTarget
  readonly person: ConsolePerson | null
  readonly port: number
  readonly withBreakers: boolean
}

async function fuzzTarget(stage: Stage, asked: Asked): Promise<OperationResult[]> {
  const { options, rawKeys, known, upstream } = stage
  const { withBreakers, ...where } = asked
  const { seed, path, connections, only } = options
  const forKeys = withBreakers ? options.breakerRequests : options.requests
  const requests = asked.person === null ? forKeys : options.consoleRequests
  const operationStage: OperationStage = {
    ...{ ...where, rawKeys, known, upstream, seed, path, connections, requests },
    mustReach: !withBreakers,
    makeThings: () => makeThings({ target: asked.target, port: asked.port, rawKey: rawKeys[0], known }),
  }
  const results: OperationResult[] = []
  for (const operation of asked.target.operations) {
    if (only !== null && !only.includes(operation.id)) continue
    if (withBreakers && !operation.asksUpstream) continue
    const result = await fuzzOperation(operationStage, operation)
    const named = withBreakers ? { ...result, id: `${result.id}, breakers` } : result
    options.onOperation?.(named)
    results.push(named)
  }
  return results
}

/** Keys with every right, of an account of their own. */
async function createKeys(rig: Rig, name: string): Promise<Stage['rawKeys']> {
  const account = await rig.createAccount(name, CREDITS)
  const keys = await Promise.all(
    Array.from({ length: KEYS }, () => rig.createKey(account, { rights: ['inference', 'deposits', 'keys'] })),
  )
  const [first = '', ...others] = keys.map(({ rawKey }) => rawKey)
  return [first, ...others]
}

/** Whether it still works, and ends in order with no hold open. */
async function inspectEnd({ rig, faults }: Stage, gateway: GatewayProcess): Promise<void> {
  const health = await fetch(`http://127.0.0.1:${gateway.port}/api/health`).catch(() => null)
  if (health === null) faults.push(`the gateway answers no more: ${gateway.output()}`)
  faults.push(...(await stopInOrder(rig, gateway)))
}

/**
 * Lets the operator in, whom the console's rows are asked by: before the token is behind what the gateway prints.
 *
 * @returns null where none of the rows is asked.
 */
async function openConsole({ options: { only }, known }: Stage, gateway: GatewayProcess): Promise<Console | null> {
  const target = readConsoleTarget()
  const ids = [...target.operations.map(({ id }) => id), ...signInIds]
  if (only !== null && !ids.some((id) => only.includes(id))) return null
  const person = await openConsolePerson(gateway)
  await furnishTeam(person, gateway.port)
  known.add('team_id', person.teamId)
  known.add('/console/operator/operators', person.userId)
  return { target, person }
}

async function fuzzSignIn(stage: Stage, person: ConsolePerson, port: number): Promise<OperationResult[]> {
  const target = await openSignInTarget(port, stage.mail)
  stage.faults.push(...(await runWalletAttacks(port)))
  return fuzzTarget(stage, { target, person, port, withBreakers: false })
}

async function fuzzWithBreakers(before: Stage): Promise<OperationResult[]> {
  if (before.options.breakerRequests === 0) return []
  const stage = { ...before, rawKeys: await createKeys(before.rig, 'fuzz with breakers') }
  await stage.rig.configure({ ...LIMITS, breaker_open_ms: BREAKER_OPEN_MS })
  const gateway = await startGateway(stage)
  const target = await readFuzzTarget(`http://127.0.0.1:${gateway.port}`)
  const results = await fuzzTarget(stage, { target, person: null, port: gateway.port, withBreakers: true })
  await inspectEnd(stage, gateway)
  return results
}

async function play(stage: Stage): Promise<Pick<FuzzReport, 'operations' | 'slowMs'>> {
  const { options, faults, rawKeys } = stage
  const gateway = await startGateway(stage)
  const { port } = gateway
  const slowPorts = Array.from({ length: options.slowSenders }, () => [port, stage.adminPort]).flat()
  const slow = Promise.all(slowPorts.map(sendSlowly))
  const consoleRows = await openConsole(stage, gateway)
  const target = await readFuzzTarget(`http://127.0.0.1:${port}`)
  const operations = await fuzzTarget(stage, { target, person: null, port, withBreakers: false })
  if (options.only === null) {
    const raw = await Promise.all([runSmuggling(port, rawKeys[0]), runSandboxPort()])
    faults.push(...raw.flat())
    faults.push(...(await runAdminPort(stage.adminPort, adminCasesFor(options))))
  }
  // An operator may close the account whose keys the others use, so these come last.
  if (consoleRows !== null) {
    operations.push(...(await fuzzSignIn(stage, consoleRows.person, port)))
    operations.push(...(await fuzzTarget(stage, { ...consoleRows, port, withBreakers: false })))
  }
  const slowMs = await slow
  if (slowMs.includes(null)) faults.push('a sender of slow headers was borne too long')
  await inspectEnd(stage, gateway)
  operations.push(...(await fuzzWithBreakers(stage)))
  return { operations, slowMs }
}

function adminCasesFor({ seed, requests }: FuzzOptions) {
  return adminCases(seed, Math.min(requests, ADMIN_REQUESTS_MAX))
}

/** Runs it. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  // A gateway without pages prints no link for the first operator.
  await buildConsole()
  const startedAt = performance.now()
  const upstream = await startHostileUpstream(options.seed)
  const mail = await startMailServer()
  const adminPort = await findFreePort()
  const rig = await openRig(rigOptions(options, upstream, { mailUrl: mail.url, adminPort }))
  try {
    const rawKeys = await createKeys(rig, 'fuzz')
    const faults: string[] = []
    const played = await play({ rig, rawKeys, upstream, mail, adminPort, known: new KnownNames(), options, faults })
    const audit = await rig.audit()
    const seconds = (performance.now() - startedAt) / 1_000
    const cases = options.only === null ? smugglingCases.length * 2 + adminCasesFor(options).length : 0
    return { ...played, smugglingCases: cases, upstreamAnswers: upstream.count(), faults, audit, seconds }
  } finally {
    await rig.close()
    await mail.close()
    await upstream.close()
  }
}

/** Every fault of a run. */
export function faultsOf(report: FuzzReport): readonly string[] {
  const { operations, faults, audit } = report
  return [...operations.flatMap((each) => each.faults), ...faults, ...(audit.code === 0 ? [] : [audit.output])]
}
