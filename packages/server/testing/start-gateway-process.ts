/** One gateway as operators run it: a process of its own on a port of its own, that can be stopped and killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { findFreePort } from './free-port.mjs'
import { findProgram } from './find-program.ts'

/** Longest time to the first answer, in milliseconds; a start takes a second on an idle machine, more on a busy one. */
const START_MS_MAX = 180_000
const READY_POLL_MS = 25
const READY = 'SVC is ready.'

/** How a process ended. */
export interface GatewayExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface GatewayProcess {
  readonly pid: number
  readonly port: number
  readonly origin: string
  readonly child: ChildProcess
  /** What it has printed; with a limit of its output, the end of that. */
  readonly output: () => string
  /** Sends a signal; `SIGKILL` leaves it no moment to settle anything. */
  readonly signal: (name: NodeJS.Signals) => void
  readonly exited: Promise<GatewayExit>
}

/** What one gateway has for itself. */
export interface GatewayStart {
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string
  /** A free one by default. */
  readonly port?: number
  /** The program, where it is another one than the gateway's own. */
  readonly program?: string
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[]
  /** Sees each line of the log. */
  readonly onLine?: (line: string) => void
  /** Kept of what it prints, in characters; all of it by default. */
  readonly outputMax?: number
  /** Takes what it prints in place of this process, which then spends nothing on it. */
  readonly logFile?: string
}

/** What a process has printed so far. */
type Output = () => string

function follow(child: ChildProcess, { onLine, outputMax = Infinity }: GatewayStart): Output {
  let [text, rest] = ['', '']
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      if (text.length > outputMax) text = text.slice(-outputMax)
      if (onLine === undefined) return
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    })
  }
  return () => text
}

async function waitUntilReady(child: ChildProcess, output: Output): Promise<void> {
  const end = performance.now() + START_MS_MAX
  while (!output().includes(READY)) {
    const how = child.exitCode ?? child.signalCode
    if (how !== null) throw new Error(`the gateway ended with ${how} before it was ready:\n${output()}`)
    if (performance.now() > end) throw new Error(`the gateway did not start in time:\n${output()}`)
    await wait(READY_POLL_MS)
  }
}

/** Starts a gateway and waits until it listens. It ends with this process at the latest. */
export async function startGatewayProcess(start: GatewayStart): Promise<GatewayProcess> {
  const { env, workingDir, logFile, program = await findProgram('main'), port = await findFreePort() } = start
  const log = logFile === undefined ? 'pipe' : openSync(logFile, 'a')
  const before = typeof log === 'number' ? fstatSync(log).size : 0
  const child = fork(program, [], {
    cwd: workingDir,
    env: { ...env, SVC_PORT: String(port) },
    execArgv: [...(start.nodeOptions ?? [])],
    stdio: ['ignore', log, log, 'ipc'],
  })
  if (typeof log === 'number') closeSync(log)
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const exited = new Promise<GatewayExit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  // What an earlier gateway has left there is not this one's.
  const output = logFile === undefined ? follow(child, start) : () => readFileSync(logFile).toString('utf8', before)
  await waitUntilReady(child, output)
  return {
    ...{ child, exited, output, port, pid: child.pid ?? 0, origin: `http://127.0.0.1:${port}` },
    signal: (name) => void child.kill(name),
  }
}
