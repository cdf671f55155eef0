/**
 * Images built without a container engine: buildah on a base that debootstrap makes and that has the name of the
 * official one. What is built is thrown away with its store; the base's files are kept for the next run.
 */
import { existsSync, realpathSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { runProgram } from '../proof/clients/run-program.ts'

const ROOT = join(import.meta.dirname, '..')
/** As the Dockerfile names it. */
const BASE_IMAGE = 'docker.io/library/node:24-bookworm-slim'
const BASE_RELEASE = 'bookworm'
const BASE_FOLDER = join(homedir(), '.cache/svc-image-base')
/** Certificates of the machine, which may have registries behind a proxy of its own. */
const CERTIFICATES = '/etc/ssl/certs'

/** The longest that a step may take, in milliseconds: packages are fetched, and the machine may be busy. */
const STEP_MS_MAX = 3_600_000

const TOOLS = ['buildah', 'debootstrap', 'unshare', 'nsenter', 'setpriv', 'npm'] as const

/** Why no image can be built here; null where one can. */
export function whyNoImages(): string | null {
  if (process.getuid?.() !== 0) return 'only root can build an image here'
  const missing = TOOLS.filter((tool) => findTool(tool) === null)
  return missing.length === 0 ? null : `${missing.join(', ')} not found`
}

function findTool(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null
}

/** An image that was built. */
export interface BuiltImage {
  /** Folder of its root file system: a copy of its own. */
  readonly rootFolder: string
  /** Of all its files, in bytes. */
  readonly size: number
  /** What the image says of itself, as Docker keeps it. */
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly WorkingDir: string
    readonly StopSignal: string
    readonly Volumes: object
    readonly Labels: Readonly<Record<string, string>>
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
}

export interface ImageStore {
  /** Builds a target of the Dockerfile. */
  build(target: 'gateway' | 'sandbox'): Promise<BuiltImage>
  close(): Promise<void>
}

/** Makes the base where it is not there, and a store that has it. */
export async function openImageStore(): Promise<ImageStore> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-images-'))
  const at = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
  const hasOverlays = await canOverlay(at)
  const place = [...at, '--storage-driver', hasOverlays ? 'overlay' : 'vfs']
  const buildah = (...words: readonly string[]): Promise<string> => run('buildah', [...place, ...words])
  await makeBase()
  await importBase(buildah)
  const settings = join(folder, 'npmrc')
  await writeFile(settings, await readNpmSettings())
  return {
    async build(target) {
      const tag = `svc:${target}`
      const secret = `id=npmrc,src=${settings}`
      await buildah(
        ...['build', '--pull-never', '--isolation', 'chroot', '--format', 'docker', `--layers=${hasOverlays}`],
        ...['--volume', `${CERTIFICATES}:${CERTIFICATES}:ro`, '--secret', secret],
        ...['--target', target, '--tag', tag, ROOT],
      )
      const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', tag)) as {
        readonly Docker: { readonly config: BuiltImage['config'] }
      }
      const container = await buildah('from', '--pull-never', tag)
      const rootFolder = await buildah('mount', container)
      const [size] = (await run('du', ['--summarize', '--bytes', rootFolder])).split('\t')
      return { rootFolder, size: Number(size), config: Docker.config }
    },
    async close() {
      // Takes away what is mounted, too.
      await buildah('rm', '--all')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Whether a store can lay folders over each other. Without, each layer is a copy of all below it, and none is kept. */
async function canOverlay(at: readonly string[]): Promise<boolean> {
  const words = [...at, '--storage-driver', 'overlay', 'info']
  const { code } = await runProgram({ command: 'buildah', words, cwd: ROOT, env: process.env, withinMs: STEP_MS_MAX })
  return code === 0
}

/** A small Debian with Node from the package that the launcher uses, and npm from this machine. */
async function makeBase(): Promise<void> {
  if (existsSync(BASE_FOLDER)) return
  const made = `${BASE_FOLDER}.${process.pid}`
  await mkdir(dirname(made), { recursive: true })
  const mirror = (
    await run('apt-get', [
      'indextargets',
      '--format',
      '$(REPO_URI)',
      'Created-By: Packages',
      `Codename: ${BASE_RELEASE}`,
    ])
  ).split('\n')[0]
  await run('debootstrap', ['--variant=minbase', BASE_RELEASE, made, ...(mirror ? [mirror] : [])])
  await rename(made, BASE_FOLDER)
}

async function importBase(buildah: (...words: readonly string[]) => Promise<string>): Promise<void> {
  const container = await buildah('from', 'scratch')
  const mounted = await buildah('mount', container)
  await run('cp', ['-a', `${BASE_FOLDER}/.`, mounted])
  const local = join(mounted, 'usr/local')
  await run('install', ['-m', '755', process.execPath, join(local, 'bin/node')])
  await run('mkdir', ['-p', join(local, 'lib/node_modules')])
  await run('cp', ['-aL', dirname(dirname(realpathSync(findTool('npm') ?? ''))), join(local, 'lib/node_modules/npm')])
  await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm')])
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  await buildah('config', '--env', path, '--cmd', 'node', container)
  await buildah('commit', '--rm', container, BASE_IMAGE)
}

/** Where this machine's npm finds packages and what it trusts, for the npm of the build. */
async function readNpmSettings(): Promise<string> {
  const [registry, trusted] = await Promise.all(
    ['registry', 'cafile'].map((name) => run('npm', ['config', 'get', name])),
  )
  const cafile = trusted === 'null' ? process.env['NODE_EXTRA_CA_CERTS'] : trusted
  return `registry=${registry}\n${cafile === undefined ? '' : `cafile=${cafile}\n`}`
}

async function run(command: string, words: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${process.env['PATH']}${delimiter}/usr/sbin` }
  const { code, out, error } = await runProgram({ command, words, cwd: ROOT, env, withinMs: STEP_MS_MAX })
  if (code === 0) return out.trim()
  throw new Error(`${command} ${words.join(' ')} ended with ${code}:\n${`${out}${error}`.slice(-4_000)}`)
}
