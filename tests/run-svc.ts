/** Runs the terminal client as a process of its own, as a shell would. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
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
  /** Folder in which it runs. */
  readonly cwd?: string
  /** Called with each piece of standard output; true sends an interrupt, once. */
  readonly interruptWhen?: (out: string) => boolean
}

export interface Svc {
  (words: readonly string[], run?: SvcRun): Promise<SvcResult>
  /** Where it keeps profiles. */
  readonly folder: string
  remove(): void
}

export const SVC_PROGRAM = path.join(import.meta.dirname, '../packages/cli/src/bin.ts')

/** A client with a settings folder of its own. @param environment what all runs see beside PATH. */
export function createSvc(environment: Readonly<Record<string, string>>): Svc {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-terminal-'))
  const env = { ...childEnvironment(), XDG_CONFIG_HOME: folder, ...environment }
  const svc = (words: readonly string[], run: SvcRun = {}): Promise<SvcResult> =>
    runOnce(words, { ...run, env: { ...env, ...run.env } })
  return Object.assign(svc, { folder, remove: () => rmSync(folder, { recursive: true, force: true }) })
}

function runOnce(words: readonly string[], run: SvcRun): Promise<SvcResult> {
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
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(run.input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out: out(), bytes: Buffer.concat(chunks), notes }))
  })
}
