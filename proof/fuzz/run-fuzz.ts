/**
 * One fuzz run: every endpoint of the gateway's own document, every smuggling case, and an upstream that answers
 * anything.
 */
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { findFreePort } from '../../packages/server/testing/free-port.ts'
import type { GatewayProcess } from '../rig/gateway-process.ts'
import { type AuditOutcome, openRig, type Rig } from '../rig/gateway-rig.ts'
import { until } from '../rig/until.ts'
import { checkAnswer } from './check-answer.ts'
import { type FuzzTarget, type Operation, readFuzzTarget } from './fuzz-target.ts'
import { startHostileUpstream } from './hostile-upstream.ts'
import { randomRequest } from './random-request.ts'
import { RawConnection } from './raw-connection.ts'
import { runSmuggling, sendSlowly } from './run-smuggling.ts'
import { smugglingCases } from './smuggling-cases.ts'

export interface FuzzOptions {
  readonly seed: number
  /** Requests to each endpoint. */
  readonly requests: number
  /** Connections at a time. */
  readonly connections: number
  /** Senders of slow headers; they take more than half a minute. */
  readonly slowSenders: number
  readonly onOperation?: (result: OperationResult) => void
}

export interface OperationResult {
  readonly id: string
  readonly requests: number
  readonly slowestMs: number
  /** How many answers each status had. */
  readonly statuses: ReadonlyMap<number, number>
  /** What went wrong, with the number of the request, which the seed makes again. */
  readonly faults: readonly string[]
}

export interface FuzzReport {
  readonly operations: readonly OperationResult[]
  readonly smugglingCases: number
  readonly upstreamAnswers: number
  readonly slowMs: readonly (number | null)[]
  /** Beyond those of single requests: smuggling, crashes, the log, open holds. */
  readonly faults: readonly string[]
  readonly audit: AuditOutcome
  readonly seconds: number
}

const BODY_BYTES_MAX = 128 * 1024
const LIMITS = { chat_body_bytes: BODY_BYTES_MAX, first_content_ms: 300, lease_ms: 5_000, journal_ms: 500 } as const
/** How long the gateway waits for the upstream, in milliseconds. */
const PATIENCE_MS = 1_200
/** The longest that one request may take, in milliseconds: the upstream's patience many times over. */
const HANG_MS = 20_000
const CREDITS = 100_000_000n

interface Stage {
  readonly target: FuzzTarget
  readonly port: number
  readonly rawKey: string
  readonly options: FuzzOptions
}

interface Tally {
  readonly statuses: Map<number, number>
  readonly faults: string[]
  slowestMs: number
}

/** Each request has random numbers of its own, so that one of them can be had again without those before it. */
export function randomFor(seed: number, operation: Operation, number: number): Random {
  const letters = [...operation.id].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7)
  const random = createRandom(
    (Math.imul(seed + 1, 2_654_435_761) ^ Math.imul(letters, 97) ^ Math.imul(number, 40_503)) >>> 0,
  )
  for (let turn = 0; turn < 4; turn++) random.below(2)
  return random
}

async function sendOne(
  stage: Stage,
  operation: Operation,
  connection: RawConnection,
  number: number,
): Promise<string | null> {
  const { options, target, rawKey } = stage
  const random = randomFor(options.seed, operation, number)
  const request = randomRequest(operation, { random, target, rawKey, bodyBytesMax: BODY_BYTES_MAX })
  const exchange = await connection.send(request.bytes, { toHead: request.toHead, timeoutMs: HANG_MS })
  const fault = (what: string): string => `${operation.id} ${number}: ${what}\n${request.summary}`
  switch (exchange.kind) {
    case 'answered': {
      // With another method the request is one to the address's other operation, where it has one.
      const method = request.bytes.toString('latin1', 0, 12).split(' ')[0]
      const isAsked = (each: Operation): boolean => each.path === operation.path && each.method === method
      const asked = target.operations.find(isAsked) ?? operation
      const problem = checkAnswer(asked, exchange.answer, request.toHead)
      return problem === null ? String(exchange.answer.status) : fault(problem)
    }
    case 'closed':
      return request.mayBeCut ? '413' : fault('the connection ended without an answer')
    case 'hung':
      return fault(`no answer within ${HANG_MS} ms`)
    case 'broken':
      return fault(exchange.message)
  }
}

async function fuzzOperation(stage: Stage, operation: Operation): Promise<OperationResult> {
  const { requests, connections } = stage.options
  const tally: Tally = { statuses: new Map(), faults: [], slowestMs: 0 }
  let next = 0
  const work = async (): Promise<void> => {
    const connection = new RawConnection(stage.port)
    while (next < requests) {
      const number = next++
      const startedAt = performance.now()
      const result = (await sendOne(stage, operation, connection, number)) ?? ''
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt)
      if (/^\d{3}$/.test(result)) tally.statuses.set(Number(result), (tally.statuses.get(Number(result)) ?? 0) + 1)
      else tally.faults.push(result)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { id: operation.id, requests, ...tally }
}

async function fuzzAll(stage: Stage): Promise<OperationResult[]> {
  const results: OperationResult[] = []
  for (const operation of stage.target.operations) {
    const result = await fuzzOperation(stage, operation)
    stage.options.onOperation?.(result)
    results.push(result)
  }
  return results
}

function isFault(line: string): boolean {
  return /^\{"level":("error"|"fatal"|50|60)/.test(line)
}

/** Whether it still works, and ends in order with no hold open. */
async function inspectEnd(rig: Rig, gateway: GatewayProcess): Promise<string[]> {
  const faults: string[] = []
  const health = await fetch(`http://127.0.0.1:${gateway.port}/api/health`).catch(() => null)
  if (health === null) faults.push(`the gateway answers no more: ${gateway.output()}`)
  if (!(await until(async () => (await rig.openHolds()) === 0, 30_000))) faults.push('holds stay open')
  gateway.signal('SIGTERM')
  const { code, signal } = await gateway.exited
  if (code !== 0) faults.push(`the gateway ended with ${code ?? signal}: ${gateway.output()}`)
  return faults
}

/** Runs it. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const startedAt = performance.now()
  const upstream = await startHostileUpstream(options.seed)
  const storage = { engine: 'sqlite', postgresUrl: null } as const
  const rig = await openRig({ ...storage, upstreamUrl: upstream.url, limits: LIMITS, patienceMs: PATIENCE_MS })
  try {
    const faults: string[] = []
    const account = await rig.createAccount('fuzz', CREDITS)
    const { rawKey } = await rig.createKey(account)
    const port = await findFreePort()
    const gateway = await rig.start(port, { onLine: (line) => isFault(line) && void faults.push(line.slice(0, 2_000)) })
    const slow = Promise.all(Array.from({ length: options.slowSenders }, () => sendSlowly(port)))
    const target = await readFuzzTarget(`http://127.0.0.1:${port}`)
    const operations = await fuzzAll({ target, port, rawKey, options })
    faults.push(...(await runSmuggling(port, rawKey)))
    const slowMs = await slow
    if (slowMs.includes(null)) faults.push('a sender of slow headers was borne too long')
    faults.push(...(await inspectEnd(rig, gateway)))
    const audit = await rig.audit()
    const seconds = (performance.now() - startedAt) / 1_000
    const counts = { smugglingCases: smugglingCases.length, upstreamAnswers: upstream.count() }
    return { operations, ...counts, slowMs, faults, audit, seconds }
  } finally {
    await rig.close()
    await upstream.close()
  }
}

/** Every fault of a run. */
export function faultsOf(report: FuzzReport): readonly string[] {
  const { operations, faults, audit } = report
  return [...operations.flatMap((each) => each.faults), ...faults, ...(audit.exitCode === 0 ? [] : [audit.text])]
}
