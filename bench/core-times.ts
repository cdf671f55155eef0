import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Time that a core has spent since the machine's start, in any unit. */
interface CoreTime {
  readonly busy: number
  readonly all: number
}

/**
 * Reads the time of every core. On Linux what another guest of the same machine took counts as busy and waiting for a
 * disk as idle.
 * Source: proc(5), /proc/stat: user nice system idle iowait irq softirq steal.
 */
export function readCoreTimes(): readonly CoreTime[] {
  if (process.platform !== 'linux') {
    return cpus().map(({ times }) => {
      const busy = times.user + times.nice + times.sys + times.irq
      return { busy, all: busy + times.idle }
    })
  }
  return [...readFileSync('/proc/stat', 'utf8').matchAll(/^cpu\d+ (.+)$/gm)].map(([, line = '']) => {
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0] = line
      .split(' ')
      .map(Number)
    const busy = user + nice + system + irq + soft + steal
    return { busy, all: busy + idle + wait }
  })
}

/** How busy the busiest core was between two readings, from 0 to 1. */
export function busiestCore(before: readonly CoreTime[], after: readonly CoreTime[]): number {
  return Math.max(
    ...after.map(({ busy, all }, index) => {
      const from = before[index] ?? { busy: 0, all: 0 }
      return all > from.all ? (busy - from.busy) / (all - from.all) : 0
    }),
  )
}
