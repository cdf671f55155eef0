/**
 * An image run without a container engine, with the parts of Linux that engines use: namespaces of its own for
 * processes and mounts, a root file system that is read-only, one volume, a user without rights, and the image's own
 * command as process 1. It shares the network of the machine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../packages/server/testing/eventually.ts'
import { runProgram } from '../proof/clients/run-program.ts'
import type { BuiltImage } from './image-build.ts'

const VOLUME = '/var/lib/svc'
const SECRETS = '/run/secrets'
/** Of util-linux: starts a program in namespaces of its own. */
const NAMESPACES = 'unshare'
const EXEC_MS_MAX = 60_000

/** Mounts what a container has, and becomes the image's command. $1 root, $2 volume, $3 secrets, $4 folder, $5 user. */
const ENTER = `
set -eu
mount --make-rprivate /
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$1${VOLUME}"
mount --bind "$3" "$1${SECRETS}"
mount -o remount,bind,ro "$1${SECRETS}"
mount -t proc proc "$1/proc"
root=$1 folder=$4 user=$5
shift 5
exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid \\
  unshare --root "$root" --wd "$folder" --setgid "$user" --setuid "$user" -- "$@"
`

export interface ContainerOptions {
  readonly image: BuiltImage
  /** Folder of the volume, whose owner is the image's user. */
  readonly volume: string
  /** What is in /run/secrets, by name. */
  readonly secrets: Readonly<Record<string, string>>
  readonly secretsFolder: string
  /** Beside the image's own variables. */
  readonly env: Readonly<Record<string, string>>
}

export interface Container {
  /** Of process 1, as the machine numbers it. */
  readonly pid: number
  readonly output: () => string
  /** Runs a command in it, as its user. */
  readonly exec: (words: readonly string[]) => ReturnType<typeof runProgram>
  /** Sends the image's stop signal to process 1. */
  readonly stop: () => void
  /** The exit code of process 1. */
  readonly ended: Promise<number | null>
  readonly kill: () => void
}

/** Starts the image's command. */
export async function runImage(options: ContainerOptions): Promise<Container> {
  const { image, volume, secrets, secretsFolder } = options
  const { Entrypoint, WorkingDir, StopSignal, User } = image.config
  const user = User.split(':')[0] ?? ''
  // An engine makes the places of mounts before it starts a container.
  for (const place of ['/proc', SECRETS]) mkdirSync(join(image.rootFolder, place), { recursive: true })
  mkdirSync(secretsFolder, { recursive: true })
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(secretsFolder, name), value)
  const own = Object.fromEntries(image.config.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2))) as object
  const env = { ...own, ...options.env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  const words = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', 'sh', '-c', ENTER, 'enter']
  const child = spawn(
    NAMESPACES,
    [...words, image.rootFolder, volume, secretsFolder, WorkingDir, user, ...Entrypoint],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const pid = await firstChildOf(child)
  return {
    pid,
    output: () => output,
    exec: (command) =>
      runProgram({
        command: 'nsenter',
        words: [
          ...['--target', `${pid}`, '--mount', '--pid', '--root', '--setuid', user, '--setgid', user],
          ...[`--wdns=${WorkingDir}`, ...command],
        ],
        ...{ cwd: '/', env, withinMs: EXEC_MS_MAX },
      }),
    stop: () => void process.kill(pid, StopSignal),
    ended,
    kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      // Process 1 has changed its user, so that it does not end with who started it.
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    },
  }
}

/** The program that makes the namespaces starts process 1 and waits for it. */
function firstChildOf({ pid = 0 }: ChildProcess): Promise<number> {
  return eventually(() => {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    expect(first).not.toBe('')
    return Number(first)
  })
}
