import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

/** Where figures come from. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGib: number
  /** Median time to make an appended block durable, in milliseconds. */
  readonly fdatasyncMs: number
  readonly node: string
  /** Null when no row asked for PostgreSQL. */
  readonly postgres: string | null
  /** The commit, with a `+` where the tree has changes; `unknown` outside a repository. */
  readonly commit: string
  readonly takenAt: string
}

/** Describes this machine and this version of the gateway. */
export function describeMachine(fdatasyncMs: number, postgres: string | null): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    fdatasyncMs,
    node: process.versions.node,
    postgres,
    commit: readCommit(),
    takenAt: new Date().toISOString().slice(0, 10),
  }
}

/** The commit of this tree, with a `+` where it has changes; `unknown` outside a repository. */
export function readCommit(): string {
  try {
    const git = (...words: string[]): string =>
      execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const changed = git('status', '--porcelain', '--untracked-files=no').trim() === '' ? '' : '+'
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed}`
  } catch {
    return 'unknown'
  }
}
