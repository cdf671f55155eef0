/** Sends every smuggling case and counts what comes back. */
import { connect } from 'node:net'
import { SANDBOX_KEY, startTestSandbox } from '../../packages/sandbox/testing/sandbox-client.ts'
import { checkEveryAnswer } from './check-answer.ts'
import { BrokenAnswerError, type RawAnswer, readAnswers } from './raw-answers.ts'
import { type SmugglingCase, smugglingCases, type SmugglingPlace, textFor } from './smuggling-cases.ts'

interface Heard {
  readonly bytes: Buffer
  readonly isClosed: boolean
}

/** A connection that says nothing for so long has said all, in milliseconds. */
const QUIET_MS = 1_500
const CLOSE_MS = 8_000
/** How Node itself ends what it refuses to read. */
const BARE_REFUSAL = '\r\nConnection: close\r\n\r\n'
/** Most of a case is waiting. */
const AT_A_TIME = 6

/** Sends the bytes and listens until the server closes, or says nothing more. */
function converse(port: number, bytes: Buffer): Promise<Heard> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: '127.0.0.1', port })
    let quiet: NodeJS.Timeout | undefined
    let isClosed = false
    const finish = (): void => {
      clearTimeout(quiet)
      clearTimeout(longest)
      socket.destroy()
      resolve({ bytes: Buffer.concat(chunks), isClosed })
    }
    const longest = setTimeout(finish, CLOSE_MS)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      clearTimeout(quiet)
      quiet = setTimeout(finish, QUIET_MS)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      isClosed = true
      finish()
    })
    socket.write(bytes)
  })
}

/** What holds for every answer of a port. @returns null when nothing is wrong. */
type CheckAnswer = (answer: RawAnswer) => string | null

function judge(
  { answers: due, statuses }: SmugglingCase,
  answers: readonly RawAnswer[],
  check: CheckAnswer,
): string | null {
  const finals = answers.filter(({ status }) => status >= 200)
  const told = finals.map(({ status }) => status).join(', ')
  if (finals.length !== due) return `${finals.length} answers (${told}); ${due} are due`
  const [first] = finals
  if (first === undefined) return null
  const isAllowed = statuses === undefined ? first.status < 500 : statuses.includes(first.status)
  if (!isAllowed) return `answered with ${first.status}; ${statuses?.join(', ') ?? 'less than 500'} is due`
  return finals.map(check).find((problem) => problem !== null) ?? null
}

async function runCase({ port, place, check, refusal }: Port, each: SmugglingCase): Promise<string | null> {
  const { bytes } = await converse(port, Buffer.from(textFor(each, place), 'latin1'))
  const isBare = refusal !== undefined && bytes.toString('latin1').endsWith(refusal)
  const read = isBare ? Buffer.concat([bytes.subarray(0, -2), Buffer.from('content-length: 0\r\n\r\n')]) : bytes
  try {
    return judge(each, readAnswers(read, each.toHead), check)
  } catch (error) {
    if (error instanceof BrokenAnswerError) return error.message
    throw error
  }
}

/** Where cases are sent, and what their answers must be. */
export interface Port {
  readonly port: number
  readonly place: SmugglingPlace
  readonly check: CheckAnswer
  /** How an answer may end that has no length, since the connection ends behind it; absent where all have one. */
  readonly refusal?: string
}

/** Sends the cases of the API's own port. @returns the cases that went wrong, in words. */
export function runSmuggling(port: number, rawKey: string): Promise<readonly string[]> {
  const place = { rawKey, root: '/api/v1', probe: '/balance' }
  return runCases({ port, place, check: checkEveryAnswer }, smugglingCases)
}

/** The answers of the ports beside have no id: no caller could ask for one. */
function checkPlainAnswer({ headers, status }: RawAnswer): string | null {
  if (Object.keys(headers).some((name) => name.startsWith('x-injected'))) return 'a header that a client has injected'
  return status >= 500 && status !== 501 && status !== 505 ? `status ${status}` : null
}

/** Sends cases to the port of metrics and probes. @returns the cases that went wrong, in words. */
export async function runAdminPort(port: number, cases: readonly SmugglingCase[]): Promise<readonly string[]> {
  const place = { rawKey: '', root: '/api/v1', probe: '/balance' }
  const faults = await runCases({ port, place, check: checkPlainAnswer }, cases)
  return faults.map((fault) => `the port of metrics: ${fault}`)
}

/**
 * Sends the cases of the API to a sandbox, which listens on loopback inside of the gateway's own process. It has other
 * rules than the gateway, so that only the number of its answers is checked, and that none is a failure.
 *
 * @returns the cases that went wrong, in words.
 */
export async function runSandboxPort(): Promise<readonly string[]> {
  const sandbox = await startTestSandbox()
  try {
    const place = { rawKey: SANDBOX_KEY, root: '/v1', probe: '/models' }
    const where = { port: Number(new URL(sandbox.url).port), place, check: checkPlainAnswer, refusal: BARE_REFUSAL }
    const faults = await runCases(
      where,
      smugglingCases.map(({ statuses: _gateways, ...each }) => each),
    )
    return faults.map((fault) => `the sandbox: ${fault}`)
  } finally {
    await sandbox.close()
  }
}

async function runCases(where: Port, cases: readonly SmugglingCase[]): Promise<readonly string[]> {
  const faults: string[] = []
  const waiting = [...cases]
  const work = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const problem = await runCase(where, each)
      if (problem !== null) faults.push(`${each.name}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return faults
}

/**
 * The most that a sender of headers, a byte at a time, may keep a connection, in milliseconds: two checks of the
 * headers' time.
 */
const SLOW_MS_MAX = 75_000

/**
 * Sends headers one byte at a time, for as long as the server bears it.
 * @returns milliseconds until the server ended it; null when it did not.
 */
export function sendSlowly(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const socket = connect({ host: '127.0.0.1', port })
    socket.write('GET /api/health HTTP/1.1\r\nhost: a\r\nx: ')
    const drip = setInterval(() => socket.write('a'), 500)
    const finish = (result: number | null): void => {
      clearInterval(drip)
      clearTimeout(longest)
      socket.destroy()
      resolve(result)
    }
    const longest = setTimeout(() => finish(null), SLOW_MS_MAX)
    socket.on('error', () => undefined)
    socket.resume()
    socket.on('close', () => finish(performance.now() - startedAt))
  })
}
