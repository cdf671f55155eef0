/** What a process has used, with all its threads: from `/proc` on Linux, elsewhere asked of the process itself. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'

/** Clock ticks a second in `/proc`. Source: proc(5); 100 on every common Linux. */
const TICKS_PER_SECOND = 100
const HAS_PROC = existsSync('/proc/self/stat')

export interface ProcessUsage {
  /** User and system time of all threads since the start, ended ones too. */
  readonly cpuMs: number
  readonly rssBytes: number
}

/** @param child a process that was forked with `programs/follow-bench.ts` loaded. */
export async function readUsage(child: ChildProcess): Promise<ProcessUsage> {
  if (HAS_PROC) return { cpuMs: readCpuMs(child.pid ?? 0), rssBytes: readRssBytes(child.pid ?? 0) }
  child.send({ kind: 'usage' })
  const [answer] = (await once(child, 'message')) as [ProcessUsage]
  return answer
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
