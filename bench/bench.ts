/**
 * CPU of a billed, whole chat request against a bare proxy: `npm run bench`. Pairs of runs alternate on one machine,
 * and the ratio is taken within each pair, so that a busy machine disturbs both sides alike.
 *
 * Options: `--pairs N`, `--seconds N`, `--connections N`, `--rate N` (requests a second; 0 for as many as go),
 * `--database URL`.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    rate: { type: 'string', default: '1000' },
    database: { type: 'string' },
    profile: { type: 'string' },
  },
})
/** Clock ticks a second in `/proc`. Source: proc(5); 100 on every common Linux. */
const TICKS_PER_SECOND = 100
const here = import.meta.dirname

interface Target {
  readonly name: string
  readonly origin: string
  readonly path: string
  readonly key: string
  readonly process: ChildProcess
}

/** CPU of a process with all its threads, in milliseconds. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

async function forkWithPort(script: string, args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(here, script), args)
  const [message] = (await once(child, 'message')) as [{ port: number }]
  return { child, port: message.port }
}

async function runAdmin(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string> {
  const child = fork(join(here, '../packages/server/src/admin.ts'), [...args, '--json'], { env, silent: true })
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stderr?.pipe(process.stderr)
  await once(child, 'exit')
  return text
}

async function startGateway(upstream: string, folder: string): Promise<Target> {
  const port = 18_000 + Math.floor(Math.random() * 10_000)
  const wide = { requests_per_minute: 10_000_000, streams_at_once: 100_000 }
  writeFileSync(join(folder, 'svc.config.json'), JSON.stringify({ limits: wide }))
  const env = {
    ...process.env,
    SVC_PORT: String(port),
    SVC_DATA_DIR: join(folder, 'data'),
    SVC_UPSTREAM: 'openrouter',
    SVC_UPSTREAM_URL: `${upstream}/v1`,
    SVC_UPSTREAM_API_KEY: 'none',
    ...(values.database === undefined ? {} : { SVC_DATABASE_URL: values.database }),
  }
  const execArgv = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  process.chdir(folder)
  const account = JSON.parse(await runAdmin(env, ['account', 'create', '--name', 'bench'])) as { account_id: string }
  await runAdmin(env, ['credits', 'grant', '--account', account.account_id, '--amount', '1000000', '--reason', 'bench'])
  const made = JSON.parse(await runAdmin(env, ['key', 'create', '--account', account.account_id, '--name', 'bench']))
  const child = fork(join(here, '../packages/server/src/main.ts'), [], { env, silent: true, execArgv })
  child.stderr?.pipe(process.stderr)
  await new Promise<void>((resolve) => child.stdout?.on('data', (text: Buffer) => text.includes('ready') && resolve()))
  child.stdout?.resume()
  const key = (made as { key?: string; raw_key?: string }).key ?? (made as { raw_key: string }).raw_key
  return { name: 'gateway', origin: `http://127.0.0.1:${port}`, path: '/api/v1/chat/completions', key, process: child }
}

interface Measured {
  readonly cpuPerRequestUs: number
  readonly perSecond: number
  readonly generatorBusy: number
}

async function measure(generator: ChildProcess, target: Target, seconds: number): Promise<Measured> {
  const before = cpuMs(target.process)
  generator.send({
    ...{ origin: target.origin, path: target.path, key: target.key, seconds },
    connections: Number(values.connections),
    rate: Number(values.rate),
  })
  const [result] = (await once(generator, 'message')) as [
    { done: number; failed: number; seconds: number; cpuMs: number },
  ]
  if (result.failed > 0) throw new Error(`${result.failed} requests to the ${target.name} failed`)
  return {
    cpuPerRequestUs: ((cpuMs(target.process) - before) * 1000) / result.done,
    perSecond: result.done / result.seconds,
    generatorBusy: result.cpuMs / 1000 / result.seconds,
  }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const upstream = await forkWithPort('stub-upstream.ts', [])
const upstreamOrigin = `http://127.0.0.1:${upstream.port}`
const bare = await forkWithPort('bare-proxy.ts', [upstreamOrigin])
const proxy: Target = {
  name: 'proxy',
  origin: `http://127.0.0.1:${bare.port}`,
  path: '/v1/chat/completions',
  key: 'none',
  process: bare.child,
}
const gateway = await startGateway(upstreamOrigin, folder)
const generator = fork(join(here, 'load-generator.ts'))
await once(generator, 'message')
for (const target of [proxy, gateway]) await measure(generator, target, 2)

const ratios: number[] = []
process.stdout.write(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}\n`)
for (let pair = 0; pair < Number(values.pairs); pair++) {
  const base = await measure(generator, proxy, Number(values.seconds))
  const billed = await measure(generator, gateway, Number(values.seconds))
  ratios.push(billed.cpuPerRequestUs / base.cpuPerRequestUs)
  process.stdout.write(
    `proxy ${base.cpuPerRequestUs.toFixed(1)} us at ${base.perSecond.toFixed(0)}/s, ` +
      `gateway ${billed.cpuPerRequestUs.toFixed(1)} us at ${billed.perSecond.toFixed(0)}/s, ` +
      `ratio ${ratios.at(-1)?.toFixed(2)}, generator ${(billed.generatorBusy * 100).toFixed(0)} % busy\n`,
  )
}
const sorted = [...ratios].sort((left, right) => left - right)
process.stdout.write(
  `CPU per billed request: ${median(ratios).toFixed(2)} x the bare proxy ` +
    `(${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)} over ${ratios.length} pairs)\n`,
)
gateway.process.kill('SIGTERM')
await once(gateway.process, 'exit')
for (const child of [generator, bare.child, upstream.child]) child.kill()
rmSync(folder, { recursive: true, force: true })
