/** What a cluster is made of, and where this machine has it. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface ClusterPrograms {
  readonly patroni: string
  /** Whether Patroni takes the leader's role only from whom it sees to have it, with version 3 of etcd's interface. */
  readonly isSafeWithEtcd3: boolean
  readonly etcd: string
  readonly haproxy: string
  readonly pgbouncer: string
  /** Folder of the server's programs. */
  readonly postgres: string
}

/** The programs, and the Debian package of each. */
const PACKAGES = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
  ip: 'iproute2',
  unshare: 'util-linux',
  setpriv: 'util-linux',
} as const

/** Since then the leader's key is compared before it is written. */
const SAFE_PATRONI = [3, 0, 4] as const

const FOLDERS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin'] as const
const POSTGRES_FOLDERS = '/usr/lib/postgresql'

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function findProgram(name: string): string | null {
  return FOLDERS.map((folder) => join(folder, name)).find(isProgram) ?? null
}

/** The newest server that Debian's packages have put beside their programs. */
function findPostgresFolder(): string | null {
  let versions: readonly string[]
  try {
    versions = readdirSync(POSTGRES_FOLDERS)
  } catch {
    return null
  }
  const newest = versions.toSorted((one, other) => Number(other) - Number(one))
  return (
    newest.map((version) => join(POSTGRES_FOLDERS, version, 'bin')).find((bin) => isProgram(join(bin, 'initdb'))) ??
    null
  )
}

/** What this machine lacks for a cluster, in words; empty where it has all. */
export function missingForCluster(): readonly string[] {
  const missing = Object.entries(PACKAGES).flatMap(([name, owner]) => (findProgram(name) === null ? [owner] : []))
  const packages = [...new Set([...missing, ...(findPostgresFolder() === null ? ['postgresql'] : [])])]
  return [
    ...packages.map((name) => `the Debian package ${name}`),
    ...(process.platform === 'linux' && process.getuid?.() === 0
      ? []
      : ['Linux and the user root: nodes are network namespaces']),
  ]
}

/** Whether a program's answer to `--version` names that version or a later one. */
function isAtLeast(said: string, wanted: readonly number[]): boolean {
  const version = (/\d+(?:\.\d+)*/.exec(said)?.[0] ?? '').split('.').map(Number)
  const at = wanted.findIndex((part, index) => (version[index] ?? 0) !== part)
  return at < 0 || (version[at] ?? 0) > (wanted[at] ?? 0)
}

/** @throws where something is missing. */
export function findClusterPrograms(): ClusterPrograms {
  const missing = missingForCluster()
  if (missing.length > 0) throw new Error(`a cluster cannot be started here, for want of ${missing.join('; ')}`)
  const at = (name: keyof typeof PACKAGES): string => findProgram(name) ?? name
  return {
    isSafeWithEtcd3: isAtLeast(execFileSync(at('patroni'), ['--version'], { encoding: 'utf8' }), SAFE_PATRONI),
    ...{ patroni: at('patroni'), etcd: at('etcd'), haproxy: at('haproxy'), pgbouncer: at('pgbouncer') },
    postgres: findPostgresFolder() ?? '',
  }
}
