import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { totalsOfReport } from './totals.ts'
import type { TestReport, Totals } from './totals.ts'

export type StepResult = Totals

/** Runs a JavaScript program with the Node that runs this one; it is one check, passed when it exits with 0. */
export async function runProgram(root: string, command: readonly string[]): Promise<StepResult> {
  const passed = (await exitCodeOf(root, command)) === 0
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 }
}

/** Runs tests with vitest and counts each of them. */
export async function runTests(root: string, options: readonly string[]): Promise<StepResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-checks-'))
  try {
    const file = path.join(folder, 'report.json')
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    const code = await exitCodeOf(root, [vitest, 'run', ...reporters, ...options])
    return totalsOfReport(readReport(file), code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport(file: string): TestReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** A program that a signal ended counts as failed with 1. */
function exitCodeOf(root: string, command: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
