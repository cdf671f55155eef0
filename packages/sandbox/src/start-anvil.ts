import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface AnvilOptions {
  readonly program: string
  readonly chainId: number
  /** 0 takes a free one. */
  readonly port?: number
  /** Seconds between blocks; absent makes a block of each transaction and none otherwise. */
  readonly blockSeconds?: number
  /** Where the chain is kept when it ends, and read from when it starts. */
  readonly stateFile?: string
}

/** A local chain in a process of its own. */
export interface Anvil {
  readonly url: string
  readonly process: ChildProcess
  /** Ends the process and waits for its end. */
  stop(): Promise<void>
}

/** A chain that an earlier process of ours has left running. */
export type AdoptedAnvil = Pick<Anvil, 'url' | 'stop'>

/** How long a chain may take to listen, in milliseconds. */
const START_MAX_MS = 60_000
/** How long it may take to write its state and end, in milliseconds. */
const STOP_MAX_MS = 5_000
/** How often it is looked whether an adopted one has ended, in milliseconds. */
const LOOK_MS = 50

/**
 * Starts a local chain on loopback. A block is safe once one more is on top of it, and final once two are, so that
 * finality takes seconds and is yet not immediate.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { program, chainId, port = 0, blockSeconds, stateFile } = options
  const child = spawn(
    program,
    [
      ...['--host', '127.0.0.1', '--port', `${port}`, '--chain-id', `${chainId}`, '--slots-in-an-epoch', '1'],
      ...(blockSeconds === undefined ? [] : ['--block-time', `${blockSeconds}`, '--mixed-mining']),
      ...(stateFile === undefined ? [] : ['--state', stateFile, '--state-interval', '60']),
    ],
    // In a group of its own: a Ctrl-C is for the gateway, which then ends the chain in order.
    { stdio: ['ignore', 'pipe', 'ignore'], detached: true },
  )
  // The chain must not keep the gateway's process, and must not outlive it: see `endWithUs`.
  child.unref()
  const forget = endWithUs(() => void child.kill('SIGKILL'))
  try {
    const url = await listening(child)
    return { url, process: child, stop: () => stop(child, forget) }
  } catch (error) {
    await stop(child, forget)
    throw error
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timeout = setTimeout(() => reject(new Error('the local chain did not start in time')), START_MAX_MS)
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(`the local chain ended at its start with code ${code}`)))
  if (child.stdout === null) throw new Error('the local chain has no output')
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const found = /^Listening on (127\.0\.0\.1:\d+)$/.exec(line.trim())
    if (found !== null) resolve(`http://${found[1]}`)
  })
  try {
    return await promise
  } finally {
    clearTimeout(timeout)
    // Its further output is of no use, but a full pipe would stop it.
    lines.close()
    child.stdout.resume()
    if ('unref' in child.stdout && typeof child.stdout.unref === 'function') child.stdout.unref()
  }
}

/**
 * Takes over a chain that outlived the process which started it, killed as that was: from now on it ends with us.
 *
 * @param pid of its process, noted when it was started.
 */
export function adoptAnvil(url: string, pid: number): AdoptedAnvil {
  const forget = endWithUs(() => void signal(pid, 'SIGKILL'))
  return {
    url,
    stop: async () => {
      forget()
      signal(pid, 'SIGTERM')
      for (let waited = 0; waited < STOP_MAX_MS && signal(pid, 0); waited += LOOK_MS) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
      signal(pid, 'SIGKILL')
    },
  }
}

/** @returns false when there is no such process, or it is not ours. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** Ends the chain when this process ends, by whatever way it can still act on. */
function endWithUs(end: () => void): () => void {
  process.once('exit', end)
  return () => process.off('exit', end)
}

async function stop(child: ChildProcess, forget: () => void): Promise<void> {
  forget()
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_MAX_MS)
  await ended
  clearTimeout(timeout)
}
