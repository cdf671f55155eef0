/** The files in `deploy`, read by the programs that they are for. A program that is not here is named and skipped. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Files } from '../../packages/server/src/platform/files/s3-files.ts'
import { eventually } from '../../packages/server/testing/eventually.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import { type Ran, runProgram } from '../../proof/clients/run-program.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const CHART = join(DEPLOY, 'helm/svc')
/** What is fetched and built is kept for the next run. */
const TOOLS = join(homedir(), '.cache/svc-deploy-tools')
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.18.6'
const COMPOSE = 'github.com/compose-spec/compose-go/v2/cmd@v2.4.7'
const STORAGE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'
const VALIDATOR = 'kubernetes-validate==1.37.0'
/** The oldest release that the chart names, and the newest whose schemas there are. */
const RELEASES = ['1.27', '1.37.0']

/** A compiler on a busy machine needs long. */
const BUILD_MS_MAX = 3_600_000
const STEP_MS_MAX = 120_000
const TIME = { timeout: STEP_MS_MAX * 2 }

const run = (command: string, words: readonly string[], withinMs = STEP_MS_MAX): Promise<Ran> =>
  runProgram({ command, words, cwd: DEPLOY, env: process.env, withinMs })

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-deploy-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function isHere(command: string, word = '--version'): Promise<boolean> {
  return (await run(command, [word])).code === 0
}

/** Every switch of the chart on, and something in every list. */
const everything = {
  publicUrl: 'https://ai.example.com',
  configFile: { limits: { requests_per_minute: 1_000 } },
  ingress: {
    enabled: true,
    className: 'nginx',
    hosts: ['ai.example.com'],
    tls: [{ secretName: 'tls', hosts: ['ai.example.com'] }],
  },
  autoscaling: { enabled: true, targetLedgerQueue: 1_000 },
  serviceMonitor: { enabled: true, labels: { release: 'monitoring' } },
  prometheusRules: { enabled: true },
  grafanaDashboards: { enabled: true },
  storage: { bucket: 'svc-files', endpoint: 'https://s3.example.com:9000', addressing: 'path', port: 9000 },
  secrets: {
    ledgerLogKey: { name: 'svc-ledger-log' },
    ...{ s3AccessKeyId: { name: 'svc-s3' }, s3SecretAccessKey: { name: 'svc-s3' } },
    more: { SVC_SMTP_URL: { name: 'svc-mail', key: 'url' } },
  },
  env: { SVC_LOG_LEVEL: 'info' },
  networkPolicy: { from: [{ namespaceSelector: {} }], databaseTo: [{ ipBlock: { cidr: '10.0.0.0/8' } }] },
  persistence: { storageClass: 'fast', annotations: { a: 'b' } },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  imagePullSecrets: [{ name: 'pull' }],
  podLabels: { team: 'ai' },
}

describe('the chart', () => {
  let helm = ''
  let validator = ''
  let missing: string | null = null
  beforeAll(async () => {
    helm = (await isHere('helm', 'version')) ? 'helm' : join(TOOLS, 'helm')
    validator = join(TOOLS, 'validator/bin/kubernetes-validate')
    await mkdir(TOOLS, { recursive: true })
    if (helm !== 'helm' && !existsSync(helm)) {
      const words = [`GOBIN=${TOOLS}`, 'go', 'install', HELM]
      const { code, error } = await run('env', words, BUILD_MS_MAX)
      if (code !== 0) missing = `helm could not be built: ${error.trim().split('\n').at(-1)}`
    }
    if (missing === null && !existsSync(validator)) {
      const venv = join(TOOLS, 'validator')
      await run('python3', ['-m', 'venv', venv])
      const { code, error } = await run(join(venv, 'bin/pip'), ['install', '--quiet', VALIDATOR], BUILD_MS_MAX)
      if (code !== 0) missing = `the schemas of Kubernetes could not be fetched: ${error.trim().split('\n').at(-1)}`
    }
  }, BUILD_MS_MAX)

  const template = (...words: readonly string[]): Promise<Ran> =>
    run(helm, ['template', 'gateway', CHART, '--kube-version', '1.33.0', ...words])

  const valueSets = { 'its defaults': { publicUrl: 'https://ai.example.com' }, everything }
  test.for(Object.entries(valueSets))(
    'is sound with %s, and Kubernetes takes it',
    TIME,
    async ([, values], { skip }) => {
      skip(missing !== null, missing ?? '')
      const file = join(folder, 'values.json')
      await writeFile(file, JSON.stringify(values))
      expect(await run(helm, ['lint', '--strict', CHART, '--values', file])).toMatchObject({ code: 0 })
      const { code, out, error } = await template('--values', file)
      expect([code, code === 0 ? '' : error]).toEqual([0, ''])
      const manifests = join(folder, 'manifests.yaml')
      await writeFile(manifests, out)
      for (const release of RELEASES) {
        const checked = await run(validator, ['--kubernetes-version', release, '--strict', '--no-warn', manifests])
        expect([release, checked.code, checked.code === 0 ? '' : checked.out + checked.error]).toEqual([release, 0, ''])
      }
      expect(out).toContain('kind: StatefulSet')
      expect(out).toContain('readOnlyRootFilesystem: true')
      expect(out).not.toContain('kind: Secret')
      // The gateways and the migrations alike.
      const variables = ['SVC_S3_BUCKET', 'SVC_S3_ACCESS_KEY_ID_FILE', 'SVC_S3_SECRET_ACCESS_KEY_FILE']
      const times = variables.map((name) => out.match(new RegExp(`name: ${name}$`, 'gm'))?.length ?? 0)
      expect(times).toEqual(values === everything ? [2, 2, 2] : [0, 0, 0])
      expect(out.includes('port: 9000')).toBe(values === everything)
    },
  )

  test('refuses what it does not know and what is missing', TIME, async ({ skip }) => {
    skip(missing !== null, missing ?? '')
    const unknown = await template('--set', 'publicUrl=https://ai.example.com', '--set', 'replica=2')
    expect([unknown.code, unknown.error]).toEqual([1, expect.stringContaining("'replica' not allowed")])
    expect((await template()).error).toContain('publicUrl is missing')
    const named = await template('--set', 'publicUrl=https://ai.example.com', '--set', 'fullnameOverride=svc')
    expect(named.code).toBe(1)
  })
})

test('the unit is sound and leaves little open', TIME, async ({ skip }) => {
  skip(!(await isHere('systemd-analyze')), 'systemd-analyze not found')
  // The unit names the Node of a server, which a test's machine need not have.
  const unit = join(folder, 'svc.service')
  const { out } = await run('sed', ['s#/usr/bin/node#/usr/bin/env#', 'systemd/svc.service'])
  await writeFile(unit, out)
  expect(await run('systemd-analyze', ['verify', unit])).toMatchObject({ code: 0, error: '' })
  // In tenths: of ten, where ten is everything open.
  expect(await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])).toMatchObject({
    code: 0,
  })
})

describe('the compose files', () => {
  const compose = join(TOOLS, 'cmd')
  let missing: string | null = null
  beforeAll(async () => {
    if (existsSync(compose)) return
    const { code, error } = await run('env', [`GOBIN=${TOOLS}`, 'go', 'install', COMPOSE], BUILD_MS_MAX)
    if (code !== 0) missing = `the reader of compose files could not be built: ${error.trim().split('\n').at(-1)}`
  }, BUILD_MS_MAX)

  test.for(['single-node.yaml', 'cluster.yaml'])(
    '%s is one, and what it names is there',
    TIME,
    async (name, { skip }) => {
      skip(missing !== null, missing ?? '')
      const own = join(folder, `read-${name}`)
      await run('cp', ['-r', DEPLOY, own])
      const file = join(own, 'compose', name)
      const text = await readFile(file, 'utf8')
      // The reader knows no environment: what has to be set is set here.
      await writeFile(file, text.replaceAll(/\$\{SVC_\w+:\?[^}]*\}|\$\{SVC_DOMAIN[^}]*\}/g, 'ai.example.com'))
      const { code, out, error } = await run('env', ['-C', join(own, 'compose'), compose, name])
      expect([code, error]).toEqual([0, ''])
      await run('sh', [join(own, 'compose/make-secrets.sh')])
      const places = [...out.matchAll(/(?:file|source): (\/\S+)/g)].map(([, place = '']) => place)
      expect(places.length).toBeGreaterThan(2)
      expect(places.filter((place) => !existsSync(place))).toEqual([])
    },
  )
})

test('the store of the compose files keeps what gateways keep', { timeout: BUILD_MS_MAX }, async ({ skip }) => {
  const program = join(TOOLS, 'versitygw')
  if (!existsSync(program)) {
    const { code, error } = await run('env', [`GOBIN=${TOOLS}`, 'go', 'install', STORAGE], BUILD_MS_MAX)
    skip(code !== 0, `the store could not be built: ${error.trim().split('\n').at(-1)}`)
  }
  const clock = { now: () => Date.now(), earliest: () => Date.now() }
  const [port, keys] = [await findFreePort(), { id: join(folder, 's3-id'), secret: join(folder, 's3-secret') }]
  await writeFile(keys.id, 'of-a-test\n')
  await writeFile(keys.secret, 'a-secret-of-a-test\n')
  const settings = { STORAGE_DIR: join(folder, 'store'), STORAGE_BUCKET: 'svc', STORAGE_PORT: String(port) }
  const secrets = { ACCESS_KEY_ID_FILE: keys.id, SECRET_ACCESS_KEY_FILE: keys.secret }
  const env = { ...process.env, ...settings, ...secrets, PATH: `${TOOLS}:${process.env['PATH']}` }
  const store = spawn('sh', ['storage/storage.sh'], { cwd: DEPLOY, env, stdio: 'ignore' })
  try {
    const endpoint = `http://127.0.0.1:${port}`
    await eventually(async () => expect((await fetch(`${endpoint}/health`)).status).toBe(200), STEP_MS_MAX)
    const credentials = { accessKeyId: 'of-a-test', secretAccessKey: 'a-secret-of-a-test' }
    const place = { endpoint, bucket: 'svc', region: 'us-east-1', prefix: 'svc/', usesPath: true, credentials }
    const files = await createS3Files({ place, clock })
    await files.check()
    const whole = randomBytes(20 * 1_048_576)
    const source = Readable.from([whole.subarray(0, 9_000_000), whole.subarray(9_000_000)])
    const expiresAt = Date.now() + 60_000
    const { name } = await files.put({ source, contentType: 'video/mp4', expiresAt, bytesMax: whole.length })
    expect(Buffer.concat(await Array.fromAsync((await files.open(name, null))!)).equals(whole)).toBe(true)
    const part = Buffer.concat(await Array.fromAsync((await files.open(name, { start: 8_999_999, end: 9_000_001 }))!))
    expect(part.equals(whole.subarray(8_999_999, 9_000_002))).toBe(true)
    await files.remove(name)
    expect(await files.head(name)).toBeNull()
    // What is over goes, and nothing else.
    await files.put({ source: Readable.from(['a']), contentType: 'image/png', expiresAt: Date.now(), bytesMax: 9 })
    await files.put({ source: Readable.from(['b']), contentType: 'image/png', expiresAt, bytesMax: 9 })
    await eventually(async () => expect(await files.sweep()).toBe(1))
    await files.close()
    const wrong = { ...place, credentials: { ...credentials, secretAccessKey: 'another' } }
    const strange = await createS3Files({ place: wrong, clock })
    await expect(strange.check()).rejects.toThrow('bucket')
    await strange.close()
  } finally {
    store.kill()
  }
})

test('the proxy of the compose files is sound', TIME, async ({ skip }) => {
  skip(!(await isHere('caddy', 'version')), 'caddy not found')
  const words = ['SVC_DOMAIN=localhost', `XDG_DATA_HOME=${folder}`, 'caddy', 'validate']
  const { code, error } = await run('env', [...words, '--adapter', 'caddyfile', '--config', 'compose/Caddyfile'])
  expect([code, error]).toEqual([0, expect.not.stringContaining('"level":"error"')])
})

test('the configuration of Prometheus is sound', TIME, async ({ skip }) => {
  skip(!(await isHere('promtool')), 'promtool not found')
  expect(await run('promtool', ['check', 'config', '--syntax-only', 'compose/prometheus.yaml'])).toMatchObject({
    code: 0,
  })
})

test('secrets are made once, for their owner alone, and a second run keeps them', TIME, async () => {
  const own = join(folder, 'compose')
  await run('cp', ['-r', 'compose', own])
  const make = (): Promise<Ran> => run('sh', [join(own, 'make-secrets.sh')])
  const first = await make()
  expect([first.code, first.out.match(/^made /gm)?.length]).toEqual([0, 8])
  const pepper = await run('cat', [join(own, 'secrets/key-pepper')])
  expect(pepper.out).toMatch(/^[0-9a-f]{64}\n$/)
  const second = await make()
  expect([second.code, second.out.match(/^kept /gm)?.length]).toEqual([0, 8])
  expect((await run('cat', [join(own, 'secrets/key-pepper')])).out).toBe(pepper.out)
  expect((await run('stat', ['--format=%a', join(own, 'secrets')])).out).toBe('700\n')
})
