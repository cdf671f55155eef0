/** Programs of others: each in a group of its own, so that all that they start ends with them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'
import type { BenchContext } from '../bench-context.ts'

const START_MS_MAX = 180_000
const READY_POLL_MS = 10
const STOP_MS_MAX = 5_000

export interface PeerStart {
  readonly command: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where it runs, and what it prints is kept. */
  readonly folder: string
}

const logOf = (folder: string): string => join(folder, 'output.log')

/** Starts a program. However this process ends, short of a SIGKILL, it ends with it. */
export function spawnPeer({ children }: BenchContext, { command, words, env, folder }: PeerStart): ChildProcess {
  const log = openSync(logOf(folder), 'a')
  const child = spawn(command, words, {
    ...{ cwd: folder, env: { ...childEnvironment(), ...env }, detached: true },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const end = (): void => signalGroup(child, 'SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  // A program that is not there ends as one that failed.
  child.once('error', () => undefined)
  children.adopt(child)
  return child
}

/** Resolves once an address answers 200. @throws {Error} when the program ends before, or is too late. */
export async function untilReady(child: ChildProcess, address: string, folder: string): Promise<void> {
  const until = performance.now() + START_MS_MAX
  while (!(await answers(address))) {
    const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    if (!isOver && performance.now() < until) await pauseFor(READY_POLL_MS)
    else {
      const said = readFileSync(logOf(folder), 'utf8').trim().slice(-400)
      throw new Error(`${isOver ? 'it ended before it was ready' : 'it did not start in time'}: ${said}`)
    }
  }
}

async function answers(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}

/** Ends a program and all that it has started. */
export async function stopPeer(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  signalGroup(child, 'SIGTERM')
  const late = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS_MAX)
  await gone
  clearTimeout(late)
  // What it has started and left.
  signalGroup(child, 'SIGKILL')
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}
