import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Listening } from './program-settings.ts'

/** Options of Node for every process that is measured. */
export const FOLLOW_BENCH = ['--import', join(import.meta.dirname, 'programs/follow-bench.mjs')]

const START_MS = 20_000
const STOP_MS = 15_000

/** Everything that a run leaves lying around unless it is cleared away: processes and folders. */
export class Children {
  readonly #running = new Set<ChildProcess>()
  readonly #folders = new Set<string>()
  readonly #clear = (): void => {
    for (const child of this.#running) child.kill('SIGKILL')
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true })
  }

  constructor() {
    // However this process ends, short of a SIGKILL, nothing stays behind.
    process.once('exit', this.#clear)
  }

  /** A new temporary folder. */
  createFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    this.adoptFolder(folder)
    return folder
  }

  /** Removes a folder with the rest. */
  adoptFolder(folder: string): void {
    this.#folders.add(folder)
  }

  /** Ends a process with the rest. */
  adopt(child: ChildProcess): void {
    this.#running.add(child)
    child.once('exit', () => this.#running.delete(child))
  }

  /** Starts a program of `programs/` and waits for the port that it listens on. */
  async start(name: string, settings: object, env: NodeJS.ProcessEnv = {}): Promise<Started> {
    const script = join(import.meta.dirname, 'programs', `${name}.ts`)
    const child = fork(script, [JSON.stringify(settings)], {
      env: { ...process.env, ...env },
      execArgv: FOLLOW_BENCH,
    })
    this.adopt(child)
    const waiting = new AbortController()
    const died = once(child, 'exit', { signal: waiting.signal }).then(() => {
      throw new Error(`${name} ended before it was ready`)
    })
    try {
      const signal = AbortSignal.timeout(START_MS)
      const [{ port }] = (await Promise.race([once(child, 'message', { signal }), died])) as [Listening]
      return { child, port }
    } finally {
      died.catch(() => undefined)
      waiting.abort()
    }
  }

  /** Ends a process in order; kills it when that takes too long. */
  async stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await gone
    clearTimeout(timer)
  }

  removeFolder(folder: string): void {
    rmSync(folder, { recursive: true, force: true })
    this.#folders.delete(folder)
  }

  /** Ends every process and removes every folder; afterwards more can be started. */
  async clear(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.stop(child)))
    this.#clear()
    this.#folders.clear()
  }
}

export interface Started {
  readonly child: ChildProcess
  readonly port: number
}
