/** Runs the terminal client for tests: its commands in this process, or as a process of its own, as a shell would. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { run as runCommand } from '../packages/cli/src/run.ts'
import { createTerminal } from '../packages/cli/src/terminal/terminal.ts'
import { childEnvironment } from '../packages/server/testing/child-environment.ts'

export interface SvcResult {
  readonly code: number | null
  readonly out: string
  /** Standard output as it came. */
  readonly bytes: Buffer
  readonly notes: string
}

export interface SvcRun {
  /** Piped into it; without it the input is at its end at once. */
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
}

export interface SvcProcessRun extends SvcRun {
  /** Folder in which it runs. */
  readonly cwd?: string
  /** Called with all of standard error so far, each time that more comes. */
  readonly onNotes?: (notes: string) => void
  /** Called with each piece of standard output; true sends an interrupt, once. */
  readonly interruptWhen?: (out: string) => boolean
}

export interface Svc {
  /** Runs a command in this process, with pipes for a terminal. */
  (words: readonly string[], run?: SvcRun): Promise<SvcResult>
  /** Runs it as a process, for what depends on one: its pipes, signals, folder and end. */
  readonly process: (words: readonly string[], run?: SvcProcessRun) => Promise<SvcResult>
  /** Where it keeps profiles. */
  readonly folder: string
  remove(): void
}

export const SVC_PROGRAM = path.join(import.meta.dirname, '../packages/cli/src/bin.ts')

/** A client with a settings folder of its own. @param environment what all runs see beside PATH. */
export function createSvc(environment: Readonly<Record<string, string>>): Svc {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-terminal-'))
  const env = { ...childEnvironment(), XDG_CONFIG_HOME: folder, ...environment }
  const inside = <Run extends SvcRun>(run: Run): Run => ({ ...run, env: { ...env, ...run.env } })
  const svc = (words: readonly string[], run: SvcRun = {}): Promise<SvcResult> => runHere(words, inside(run))
  return Object.assign(svc, {
    process: (words: readonly string[], run: SvcProcessRun = {}) => runProcess(words, inside(run)),
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  })
}

/** A pipe that is read to its end. */
function createPipe(): { readonly stream: Writable; readonly bytes: () => Buffer } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, bytes: () => Buffer.concat(chunks) }
}

async function runHere(words: readonly string[], { input, env = {} }: SvcRun): Promise<SvcResult> {
  const [out, notes] = [createPipe(), createPipe()]
  const streams = { input: Readable.from(input === undefined ? [] : [Buffer.from(input)]), out: out.stream }
  const terminal = createTerminal({ ...streams, notes: notes.stream }, env, new AbortController())
  const code = await runCommand(terminal, words, '0')
  const bytes = out.bytes()
  return { code, out: bytes.toString('utf8'), bytes, notes: notes.bytes().toString('utf8') }
}

function runProcess(words: readonly string[], run: SvcProcessRun): Promise<SvcResult> {
  const child = spawn(process.execPath, [SVC_PROGRAM, ...words], { env: run.env, cwd: run.cwd, stdio: 'pipe' })
  const chunks: Buffer[] = []
  const out = (): string => Buffer.concat(chunks).toString('utf8')
  let notes = ''
  let isInterrupted = false
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    if (isInterrupted || run.interruptWhen?.(out()) !== true) return
    isInterrupted = true
    child.kill('SIGINT')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text
    run.onNotes?.(notes)
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(run.input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out: out(), bytes: Buffer.concat(chunks), notes }))
  })
}
