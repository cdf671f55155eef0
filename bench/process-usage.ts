/** What a process has used, with all its threads: from `/proc` on Linux, elsewhere asked of the process itself. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in `/proc`. Source: proc(5); 100 on every common Linux. */
const TICKS_PER_SECOND = 100
/** Whether processes of any kind can be measured here. */
export const HAS_PROC = existsSync('/proc/self/stat')

export interface ProcessUsage {
  /** User and system time of all threads since the start, ended ones too. */
  readonly cpuMs: number
  readonly rssBytes: number
}

/** @param child a process that was forked with `programs/follow-bench.mjs` loaded. */
export async function readUsage(child: ChildProcess): Promise<ProcessUsage> {
  if (HAS_PROC) return { cpuMs: readCpuMs(child.pid ?? 0), rssBytes: readRssBytes(child.pid ?? 0) }
  child.send({ kind: 'usage' })
  const [answer] = (await once(child, 'message')) as [ProcessUsage]
  return answer
}

/** The same of a process with all that it has started, of whatever kind these are. Linux alone. */
export function readTreeUsage(root: number): ProcessUsage {
  const usages = descendantsOf(root).flatMap((pid) => {
    try {
      return [{ cpuMs: readCpuMs(pid), rssBytes: readRssBytes(pid) }]
    } catch {
      // It has ended since.
      return []
    }
  })
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssBytes: usages.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  }
}

/** A process and its descendants. */
function descendantsOf(root: number): readonly number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid)) parents.set(pid, parentOf(pid))
  }
  const found = new Set([root])
  // A child may have a lower number than its parent, so until nothing is added.
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}

/** 0 for a process that has ended. Source: proc(5), /proc/pid/stat, ppid. */
function parentOf(pid: number): number {
  try {
    return Number(/^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function readCpuMs(pid: number): number {
  // The name of the program is in brackets and may hold spaces. Source: proc(5), /proc/pid/stat, utime and stime.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

function readRssBytes(pid: number): number {
  const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}
