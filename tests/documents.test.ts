/** What the documents tell people to type, and what they name, is there and works unchanged. */
import { execFile } from 'node:child_process'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_EMAIL, endpointList } from '@svc/contract'
import { runAdmin } from '../packages/server/src/operations/commands/admin-program.ts'
import {
  clientNames,
  environmentSchema,
  reservedNames,
  secretNames,
} from '../packages/server/src/config/environment.ts'
import { upstreamSchema } from '../packages/server/src/config/config-file.ts'
import { readKeptSecret } from '../packages/server/src/config/kept-secret.ts'
import { limitsSchema } from '../packages/server/src/config/limits-config.ts'
import { loadConfig } from '../packages/server/src/config/load-config.ts'
import { fileVariableOf } from '../packages/server/src/config/secret-files.ts'
import { migrateConfigured } from '../packages/server/src/app/migrate-configured.ts'
import { openAdmin } from '../packages/server/src/app/open-admin.ts'
import { createBrowserSession } from '../packages/server/testing/browser-session.ts'
import { listenOnLoopback } from '../packages/server/testing/loopback-server.ts'
import { heldBackDeposit, waitingMail } from '../packages/server/testing/operator-scene.ts'
import { createTestAccount } from '../packages/server/testing/test-gateway.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { readTree, type TextFile } from '../tools/tidy/tree.ts'
import { chargeOf } from './charge-of.ts'

const runFile = promisify(execFile)
const root = dirname(import.meta.dirname)
const tree = readTree(root)
const documents = tree.filter(({ path }) => path.endsWith('.md'))

function documentOf(path: string): TextFile {
  const found = documents.find((document) => document.path === path)
  if (found === undefined) throw new Error(`there is no ${path}`)
  return found
}

function blocksOf({ text }: TextFile, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block)
}

/** Everything in all documents that a pattern's first group finds, with the document's path. */
function mentionsOf(pattern: RegExp): { readonly path: string; readonly name: string }[] {
  return documents.flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name })))
}

/** Asks random tests for more rounds; a setting of nothing that runs. */
const OF_TESTS = 'SVC_TEST_ROUNDS'
/** What compose files, the proxy and the build of the image take: no settings of the gateway. */
const OF_DEPLOYMENT: readonly string[] = [
  ...['SVC_IMAGE', 'SVC_DOMAIN', 'SVC_GATEWAYS', 'SVC_GATEWAY_ADMIN_PORT'],
  ...['SVC_VERSION', 'SVC_REVISION'],
  // The chart mounts it, and names its file to the gateway.
  'SVC_LOG_KEY',
]

describe('names', () => {
  test('every npm script that a document names exists', () => {
    const manifest = tree.find(({ path }) => path === 'package.json')?.text ?? '{}'
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(manifest)
    const named = [...mentionsOf(/(?:^|`)npm run (\w[\w:-]*)/gm), ...mentionsOf(/(?:^|`)npm (start|test)\b/gm)]
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter(({ name }) => !(name in scripts))).toEqual([])
  })

  test('every variable that a document names exists', () => {
    const files = secretNames.map(fileVariableOf)
    const known = [
      ...Object.keys(environmentSchema.shape),
      ...files,
      ...reservedNames.keys(),
      ...clientNames,
      ...OF_DEPLOYMENT,
      OF_TESTS,
    ]
    const named = mentionsOf(/\b(SVC_[A-Z0-9_]*[A-Z0-9])\b/g)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ name }) => !known.includes(name))).toEqual([])
  })

  test('every variable that a file for deployment sets exists', () => {
    const known = [...Object.keys(environmentSchema.shape), ...secretNames.map(fileVariableOf)]
    const files = tree.filter(({ path }) => path.startsWith('deploy/') || path === 'Dockerfile')
    const named = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(SVC_[A-Z0-9_]*[A-Z0-9])\b/g)].map(([, name = '']) => ({ path, name })),
    )
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter(({ name }) => ![...known, ...OF_DEPLOYMENT].includes(name))).toEqual([])
  })

  test('every limit that a document names is one of the configuration', () => {
    const known = Object.keys(limitsSchema.in.shape)
    const named = mentionsOf(/`limits\.(\w+)`/g)
    expect(named.length).toBeGreaterThan(3)
    expect(named.filter(({ name }) => !known.includes(name))).toEqual([])
  })

  test('the guide lists the addresses that take an Idempotency-Key, and no others', () => {
    const [, section = ''] = /^## Idempotency-Key\n(.*?)What happens:$/ms.exec(documentOf('docs/api.md').text) ?? []
    const listed = [...section.matchAll(/`(\/v[^`]+)`/g)].map(([, path = '']) => path)
    const named = endpointList.filter(({ isIdempotent }) => isIdempotent === true).map(({ path }) => path)
    expect(listed.toSorted()).toEqual(named.toSorted())
  })

  test('an install without the tools that build comes after the build', () => {
    const installs = documents.flatMap((document) => blocksOf(document, 'sh')).filter((block) => /omit=dev/.test(block))
    expect(installs.length).toBeGreaterThan(0)
    for (const block of installs) expect(block).toMatch(/^npm run build\nnpm ci --omit=dev\n/)
  })

  test('every source that a document names exists', () => {
    const paths = new Set(tree.map(({ path }) => path))
    const names = new Set(tree.map(({ path }) => basename(path)))
    const exists = ({ path, name }: { readonly path: string; readonly name: string }): boolean => {
      if (!name.includes('/')) return names.has(name)
      const short = name.replace(/^contract\//, 'packages/contract/src/')
      return [short, `packages/server/src/${name}`, `${dirname(path)}/${name}`].some((place) => paths.has(place))
    }
    const named = mentionsOf(/`([a-z][\w./-]*\.(?:ts|mjs))`/g).filter(({ name }) => name !== 'v1-usage-request-id.ts')
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((mention) => !exists(mention))).toEqual([])
  })
})

/**
 * The settings that a block of shell gives to each `npm start` in it: what it exports, and what precedes the command.
 */
function settingsOf(block: string): Record<string, string>[] {
  const pairsOf = (line: string): [string, string][] =>
    [...line.matchAll(/\b(SVC_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [
      name,
      value.replace('…', 'x'.repeat(40)),
    ])
  const exported = block
    .split('\n')
    .filter((line) => line.startsWith('export '))
    .flatMap(pairsOf)
  return block
    .split('\n')
    .filter((line) => line.endsWith('npm start'))
    .map((line) => Object.fromEntries([...exported, ...pairsOf(line)]))
    .filter((settings) => Object.keys(settings).length > 0)
}

describe('settings', () => {
  const settings = documents.flatMap((document) =>
    ['sh', ''].flatMap((language) => blocksOf(document, language)).flatMap(settingsOf),
  )

  test('were found', () => {
    expect(settings.length).toBeGreaterThan(6)
  })

  const starts = settings.map((env) => ({ names: Object.keys(env).join(', '), env }))

  test.each(starts)('a start with $names is possible', async ({ env }) => {
    const workingDir = await mkdtemp(join(tmpdir(), 'svc-documents-'))
    try {
      const { config } = loadConfig({ env, workingDir })
      expect(config.upstreams[0].kind).toBe(env['SVC_UPSTREAM'] ?? 'sandbox')
    } finally {
      await rm(workingDir, { recursive: true, force: true })
    }
  })
})

describe('a newcomer', () => {
  const gateway = useGateway()
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-newcomer-'))
    await mkdir(join(folder, '.svc'))
    await writeFile(join(folder, '.svc', 'demo-key'), `${gateway.key}\n`)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** Runs what a document shows, unchanged but for the address. */
  async function run(program: string, words: readonly string[], cwd: string): Promise<string> {
    const here = words.map((word) => word.replaceAll('http://localhost:8787/api', gateway.baseUrl))
    const env = { ...process.env, SVC_API_KEY: gateway.key, NODE_NO_WARNINGS: '1' }
    const { stdout } = await runFile(program, here, { cwd, env })
    return stdout
  }

  test('chats with the first curl of the README and is charged what it says', async () => {
    const block = blocksOf(documentOf('README.md'), 'sh').find((shown) => shown.includes('curl ')) ?? ''
    const { result, charge } = await chargeOf(gateway, () => run('sh', ['-c', block], folder))
    const answer = JSON.parse(result)
    expect(answer.choices[0].message.content).toContain('sandbox')
    expect(BigInt(Math.round(answer.svc.credits_charged * 1e9))).toBe(charge)
    expect(charge).toBeGreaterThan(0n)
  })

  test('reads balance and usage with the commands of the README', async () => {
    const block = blocksOf(documentOf('README.md'), 'sh').find((shown) => shown.includes('/v1/balance')) ?? ''
    const [balance = '', usage = ''] = block.split('\n')
    expect(JSON.parse(await run('sh', ['-c', balance], folder))).toMatchObject({ object: 'balance' })
    expect(JSON.parse(await run('sh', ['-c', usage], folder))).toMatchObject({ object: 'list' })
  })

  test('can type every operator command that a document shows', async () => {
    const { keyId } = await gateway.createKey()
    const peppers = [{ version: 1, secret: readKeptSecret(gateway.dataDir, 'key-pepper') }] as const
    const sessionSecret = readKeptSecret(gateway.dataDir, 'session-secret')
    const depositId = (await heldBackDeposit(gateway.gateway.database, gateway.accountId)).depositId
    const mailId = await waitingMail(gateway.gateway.database, gateway.accountId)
    // An account at rest, for those that want one.
    const { accountId: former } = await createTestAccount(gateway.gateway, '0', 'Former')
    // A person for the commands about people.
    await createBrowserSession(gateway.baseUrl).json('POST', '/auth/sign-in/demo', {})
    const errors: string[] = []
    // An upstream that has billed nothing, by its own word and by its invoice.
    const billed = createServer((_request, response) => void response.end('{"data":[]}'))
    const { origin: url, close } = await listenOnLoopback(billed)
    const invoice = join(gateway.dataDir, 'invoice.csv')
    await writeFile(invoice, 'generation_id,cost_usd\n')
    const upstreams = ['default', 'other'].map((name) => ({
      ...upstreamSchema.parse({ name, kind: 'openrouter' }),
      ...{
        url,
        apiKeys: [],
        activityKey: 'key',
        reportsCost: true,
        failuresAreFree: true,
        deniesDataCollection: false,
      },
    }))
    // Opened once: that each command opens and closes the storage is promised elsewhere, and takes longest.
    const admin = await openAdmin({
      ...{ databaseUrl: null, dataDir: gateway.dataDir, peppers, sessionSecret, upstreams },
      limitsOfFile: new Set(),
      limits: limitsSchema.parse({}),
    })
    const deps = {
      open: () => Promise.resolve({ ...admin, close: () => Promise.resolve() }),
      migrate: (isDryRun: boolean) =>
        migrateConfigured(
          { databaseUrl: null, databaseWaitMs: 0, dataDir: gateway.dataDir },
          { isDryRun, onWaiting: () => undefined },
        ),
      print: () => undefined,
      printError: (text: string) => void errors.push(text),
    }
    const lines = documents
      .flatMap((document) => blocksOf(document, 'sh'))
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('npm run admin -- '))
    expect(lines.length).toBeGreaterThan(6)
    for (const line of lines) {
      const named = line
        .replaceAll('ACCOUNT_ID', gateway.accountId)
        .replaceAll('FORMER_ID', former)
        .replaceAll('KEY_ID', keyId)
        .replaceAll('MAIL_ID', mailId)
        .replaceAll('grace@example.com', DEMO_EMAIL)
        .replaceAll('invoice.csv', invoice)
      const words = [...named.replaceAll('DEPOSIT_ID', `dep_${depositId}`).matchAll(/'([^']*)'|(\S+)/g)]
        .map(([, quoted, plain]) => quoted ?? plain ?? '')
        .slice(4)
      expect([line, await runAdmin(deps, words), errors]).toEqual([line, 0, []])
      // The account has to work for the next ones.
      if (words.includes('suspend')) await runAdmin(deps, ['account', 'resume', gateway.accountId])
    }
    await admin.close()
    await close()
  })
})
