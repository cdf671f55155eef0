/** One gateway as operators run it: a process of its own on a port of its own. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))
/** Kept of what a process prints, in characters: enough to see why it ended. */
const OUTPUT_MAX = 20_000
/** Longest time to the first answer, in milliseconds; a start takes a second on an idle machine, more on a busy one. */
const START_MS_MAX = 180_000

/** How a process ended. */
export interface GatewayExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface GatewayProcess {
  readonly pid: number
  readonly port: number
  readonly child: ChildProcess
  /** The end of what it has printed. */
  output(): string
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<GatewayExit>
}

export interface GatewayStart {
  readonly env: Readonly<Record<string, string>>
  readonly workingDir: string
  readonly port: number
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[]
  /** Sees each line of the log. */
  readonly onLine?: (line: string) => void
}

interface Printed {
  text: string
  rest: string
}

function follow(child: ChildProcess, onLine: ((line: string) => void) | undefined): Printed {
  const printed: Printed = { text: '', rest: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed.text = (printed.text + text).slice(-OUTPUT_MAX)
      if (onLine === undefined) return
      const lines = (printed.rest + text).split('\n')
      printed.rest = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    })
  }
  return printed
}

function waitUntilReady(child: ChildProcess, printed: Printed): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the gateway ${why}:\n${printed.text}`))
    const timeout = setTimeout(() => fail('did not start in time'), START_MS_MAX)
    child.stdout?.on('data', () => {
      if (!printed.text.includes('SVC is ready.')) return
      clearTimeout(timeout)
      resolve()
    })
    child.once('exit', (code, signal) => {
      clearTimeout(timeout)
      fail(`ended with ${code ?? signal} before it was ready`)
    })
  })
}

/** Starts a gateway and waits until it listens. */
export async function startGatewayProcess(start: GatewayStart): Promise<GatewayProcess> {
  const child = fork(MAIN, [], {
    cwd: start.workingDir,
    env: { ...start.env, SVC_PORT: String(start.port) },
    execArgv: [...(start.nodeOptions ?? [])],
    silent: true,
  })
  // Whoever ends the proof ends its gateways, too.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const printed = follow(child, start.onLine)
  const exited = new Promise<GatewayExit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  await waitUntilReady(child, printed)
  return {
    ...{ child, exited, port: start.port, pid: child.pid ?? 0 },
    output: () => printed.text,
    signal: (name) => void child.kill(name),
  }
}
