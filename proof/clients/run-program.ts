/** Programs of clients: started with an environment of their own, limited in time, ended with all that they started. */
import { spawn } from 'node:child_process'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'

export interface ProgramStart {
  readonly command: string
  readonly words: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<NodeJS.ProcessEnv>
  /** It is killed after so long, in milliseconds. */
  readonly withinMs: number
}

export interface Ran {
  /** Null where it was killed. */
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** Kept of what it prints, in characters: the end. */
const OUTPUT_MAX = 1_000_000

/** Runs a program to its end. A program that there is not ends with the code 127. */
export function runProgram({ command, words, cwd, env = {}, withinMs }: ProgramStart): Promise<Ran> {
  // A group of its own, so that what it has started ends with it.
  const child = spawn(command, words, {
    ...{ cwd, env: { ...childEnvironment(), ...env }, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, error] = ['', '']
  child.stdout.on('data', (piece: Buffer) => void (out = (out + piece.toString()).slice(-OUTPUT_MAX)))
  child.stderr.on('data', (piece: Buffer) => void (error = (error + piece.toString()).slice(-OUTPUT_MAX)))
  const end = (): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
  const late = setTimeout(end, withinMs)
  process.once('exit', end)
  return new Promise((resolve) => {
    const finish = (ran: Ran): void => {
      clearTimeout(late)
      process.off('exit', end)
      resolve(ran)
    }
    child.once('error', (failure) => finish({ code: 127, out, error: failure.message }))
    // What it has started may hold its output open.
    child.once('exit', () => void setTimeout(end, 500).unref())
    child.once('close', (code) => finish({ code, out, error }))
  })
}
