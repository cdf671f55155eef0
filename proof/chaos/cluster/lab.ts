/**
 * Machines of a cluster on one machine: each is a network, a process and a mount namespace of its own behind a bridge.
 * All of them are within one more namespace, and end with it: so nothing is left where this process is killed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Random } from '../../../packages/server/testing/random.ts'
import { onInterrupt } from '../../rig/on-interrupt.ts'
import { until } from '../../rig/until.ts'

const run = promisify(execFile)

/** A machine: what runs in it, and the wire to the others. */
export interface Machine {
  readonly name: string
  readonly address: string
  /** Starts a program in it; its output goes to a file of its name in the folder `run`. */
  start(program: MachineProgram): Promise<void>
  /** Runs a command in it to its end. */
  run(words: readonly string[]): Promise<string>
  /** Sends a signal to a program that was started, or to all of its processes. */
  signal(signal: string, program?: string): Promise<void>
  /** It has no power from one moment to the next. */
  die(): Promise<void>
  /** It has power again, with the disk that it had; nothing runs yet. */
  boot(): Promise<void>
  /** Takes the wire out, or puts it in again. */
  wire(state: 'up' | 'down'): Promise<void>
  /** Drops what it sends to other machines, and what they send to it; its other connections go on. */
  part(others: readonly Machine[]): Promise<void>
  join(others: readonly Machine[]): Promise<void>
}

export interface MachineProgram {
  readonly name: string
  readonly words: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface Lab {
  /** Holds everything of a run. */
  readonly folder: string
  /** Of all machines, such as `10.1.2.0/24`. */
  readonly network: string
  /** This process's own address on the bridge. */
  readonly address: string
  readonly machines: readonly Machine[]
  close(): Promise<void>
}

export interface LabOptions {
  readonly random: Random
  /** Names of the machines, and the bytes of their disks. */
  readonly machines: readonly { readonly name: string; readonly diskBytes: number }[]
}

/** Debian's packages make this user; none of the programs runs as root. */
const USER = 'postgres'
const START_MS_MAX = 10_000
/** Runs a program that ends with this process, however that ends. */
const ENDS_WITH_PARENT = 'setpriv'
const KEEPER = 'while :; do sleep 3600 & wait $!; done'
const NAMESPACES = [
  '--net',
  '--mount',
  '--propagation',
  'private',
  '--pid',
  '--fork',
  '--kill-child=KILL',
  '--mount-proc',
]
const FIRST_HOST = 11
const ENVIRONMENT = ['PATH=/usr/bin:/usr/sbin:/bin:/sbin', 'LC_ALL=C.UTF-8'] as const
const BEGIN = 'log=$1; pid=$2; shift 2; "$@" >> "$log" 2>&1 < /dev/null & echo $! > "$pid"'

/** The process that a namespace lives by: the only child of the one that made it. */
async function childOf(parent: ChildProcess): Promise<number> {
  let pid = 0
  const path = `/proc/${parent.pid}/task/${parent.pid}/children`
  const isThere = await until(async () => {
    pid = Number((await readFile(path, 'utf8').catch(() => '')).trim().split(' ')[0])
    return pid > 0
  }, START_MS_MAX)
  if (!isThere) throw new Error('a namespace was not made: is this machine allowed to?')
  return pid
}

/** The namespace's keeper of processes whose parents are gone: without it they would never end. */
async function openNamespace(within: readonly string[]): Promise<number> {
  const words = ['--pdeathsig', 'KILL', ...within, 'unshare', ...NAMESPACES, 'bash', '-c', KEEPER]
  // In a group of its own: who ends this process at a terminal ends the namespace by its end, and not before.
  const made = spawn(ENDS_WITH_PARENT, words, { stdio: 'ignore', detached: true })
  made.unref()
  const first = await childOf(made)
  // Within a namespace it is started by a process that waits outside.
  const isWithin = within.length > 0
  return isWithin ? await grandchildOf(first) : first
}

async function grandchildOf(pid: number): Promise<number> {
  let found = 0
  await until(async () => {
    found = Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).trim().split(' ')[0])
    return found > 0
  }, START_MS_MAX)
  if (found === 0) throw new Error('a namespace was not made within another')
  return found
}

function freeNetwork(random: Random): string {
  const taken = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  for (;;) {
    const prefix = `10.${200 + random.below(50)}.${random.below(250)}`
    if (!taken.some((address) => address.startsWith(`${prefix}.`))) return prefix
  }
}

const into = (pid: number, kinds: readonly string[]): string[] => ['nsenter', '-t', String(pid), ...kinds]
const exec = ([program = '', ...words]: readonly string[]) => run(program, words)

/** Makes it. Nothing runs in the machines yet. */
export async function openLab({ random, machines: wanted }: LabOptions): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cluster-'))
  await chmod(folder, 0o755)
  await exec(['install', '-d', '-o', USER, join(folder, 'run')])
  const prefix = freeNetwork(random)
  const lab = await openNamespace([])
  const door = `svc${process.pid}`
  const remove = async (): Promise<void> => {
    process.kill(lab, 'SIGKILL')
    await until(() => !Object.keys(networkInterfaces()).includes(door), START_MS_MAX)
    await rm(folder, { recursive: true, force: true })
  }
  const forget = onInterrupt(remove)
  const inLab = (...words: string[]) => exec([...into(lab, ['--net']), ...words])
  await exec(['ip', 'link', 'add', door, 'type', 'veth', 'peer', 'name', 'up0', 'netns', String(lab)])
  await exec(['ip', 'addr', 'add', `${prefix}.1/24`, 'dev', door])
  await exec(['ip', 'link', 'set', door, 'up'])
  await inLab('ip', 'link', 'add', 'br0', 'type', 'bridge')
  await inLab('ip', 'link', 'set', 'br0', 'up')
  await inLab('ip', 'link', 'set', 'up0', 'master', 'br0', 'up')
  const machines: Machine[] = []
  for (const [index, { name, diskBytes }] of wanted.entries()) {
    const disk = join(folder, name)
    await mkdir(disk)
    await exec([...into(lab, ['--mount']), 'mount', '-t', 'tmpfs', '-o', `size=${diskBytes},mode=0700`, name, disk])
    await exec([...into(lab, ['--mount']), 'chown', `${USER}:`, disk])
    const machine = createMachine({ lab, folder, name, wire: `w${index}`, address: `${prefix}.${FIRST_HOST + index}` })
    await machine.boot()
    machines.push(machine)
  }
  return {
    ...{ folder, network: `${prefix}.0/24`, address: `${prefix}.1`, machines },
    async close() {
      forget()
      await remove()
    },
  }
}

interface MachinePlace {
  readonly lab: number
  readonly folder: string
  readonly name: string
  readonly wire: string
  readonly address: string
}

function createMachine({ lab, folder, name, wire, address }: MachinePlace): Machine {
  let keeper = 0
  const inLab = (...words: string[]) => exec([...into(lab, ['--net']), ...words])
  const inNet = (...words: string[]) => exec([...into(keeper, ['--net']), ...words])
  const words = (): string[] => into(keeper, ['--net', '--mount', '--pid'])
  const pidFile = (program: string): string => join(folder, 'run', `${name}-${program}.pid`)
  const routes = async (change: 'add' | 'del', others: readonly Machine[]): Promise<void> => {
    for (const other of others) {
      await inNet('ip', 'route', change, 'blackhole', `${other.address}/32`).catch(() => undefined)
    }
  }
  const machine: Machine = {
    ...{ name, address },
    async start({ name: program, words: started, env = {} }) {
      const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`)
      const asUser = ['setpriv', '--reuid', USER, '--regid', USER, '--clear-groups', '--inh-caps=-all', 'env', '-i']
      // Its parent ends, so that nothing outside waits for it: it belongs to the machine alone.
      const begin = ['sh', '-c', BEGIN, 'sh', join(folder, 'run', `${name}-${program}.log`), pidFile(program)]
      await exec([...words(), ...asUser, ...ENVIRONMENT, ...variables, ...begin, ...started])
    },
    run: async (asked) => (await exec([...words(), ...asked])).stdout,
    async signal(signal, program) {
      // From within, where process ids are those of the machine. -1 is every process but the asking one and the keeper.
      const target = program === undefined ? '-1' : `$(cat ${pidFile(program)})`
      await exec([...words(), 'sh', '-c', `kill -${signal} ${target}`])
    },
    async die() {
      process.kill(keeper, 'SIGKILL')
      await until(() => !isAlive(keeper), START_MS_MAX)
      // The other end of its wire goes with its network, as soon as the last socket has.
      await inLab('ip', 'link', 'del', wire).catch(() => undefined)
    },
    async boot() {
      keeper = await openNamespace(into(lab, ['--net', '--mount', '--pid']))
      await inLab('ip', 'link', 'add', wire, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(keeper))
      await inLab('ip', 'link', 'set', wire, 'master', 'br0', 'up')
      await inNet('ip', 'link', 'set', 'lo', 'up')
      await inNet('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      await inNet('ip', 'link', 'set', 'eth0', 'up')
    },
    wire: async (state) => void (await inLab('ip', 'link', 'set', wire, state)),
    async part(others) {
      await routes('add', others)
      for (const other of others) await other.run(['ip', 'route', 'add', 'blackhole', `${address}/32`])
    },
    async join(others) {
      await routes('del', others)
      for (const other of others) await other.run(['ip', 'route', 'del', 'blackhole', `${address}/32`])
    },
  }
  return machine
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
