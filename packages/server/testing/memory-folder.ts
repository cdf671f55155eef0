/**
 * Gives a test run a folder in memory for all that it writes. Databases and data folders come and go by the hundred: on
 * a disk that is told of each file that goes, to make a PostgreSQL database takes twenty times the work.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux has a file system in memory. */
const MEMORY = '/dev/shm'
/** Holds the number of the process whose run it is. */
const NAME = /^svc-tests-of-(\d+)-/
/** A run takes less than half of it, the unpacked browser included. */
const ROOM_BYTES = 2 * 1024 ** 3

/**
 * Vitest calls this before everything else, and the returned function after the last test. A run whose `TMPDIR` was
 * chosen, and one on a machine without such a folder, stay where they are.
 */
export function setup(): () => void {
  if (process.env['TMPDIR'] !== undefined || !isUsable()) return () => undefined
  removeLeft()
  const folder = mkdtempSync(join(MEMORY, `svc-tests-of-${process.pid}-`))
  // PostgreSQL runs as a user without rights, who has to reach what is his in there.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** Whether programs may run there, and there is room. */
function isUsable(): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , kind, options = 'noexec'] = mounts.find((line) => line.split(' ')[1] === MEMORY)?.split(' ') ?? []
    const { bavail, bsize } = statfsSync(MEMORY)
    return kind === 'tmpfs' && !options.split(',').includes('noexec') && bavail * bsize >= ROOM_BYTES
  } catch {
    return false
  }
}

/** A run that was killed has removed nothing, and memory is dear. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY)) {
    const [, processId = ''] = NAME.exec(name) ?? []
    if (processId === '' || isAlive(Number(processId))) continue
    rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
