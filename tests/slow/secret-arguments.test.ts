/** A secret where a program does not want it is not repeated: terminals and logs are kept and shared. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildServer } from '../../packages/server/build/build-server.mjs'
import { childEnvironment } from '../../packages/server/testing/child-environment.ts'
import { createSvc, type Svc } from '../run-svc.ts'

const CANARY = 'c4n4ryC4N4RY'.repeat(4)
const KEY = `sk-svc-${CANARY}A`

let svc: Svc
let folder: string
beforeAll(async () => {
  await buildServer()
  svc = createSvc({ SVC_BASE_URL: 'http://127.0.0.1:1/api' })
  folder = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
})
afterAll(() => {
  svc.remove()
  rmSync(folder, { recursive: true })
})

test('svc login with a key as its argument prints the prefix alone', async () => {
  const { code, out, notes } = await svc.process(['login', KEY])
  expect([code, out]).toEqual([2, ''])
  expect(notes).toContain('sk-svc-')
  expect(notes).not.toContain(CANARY.slice(0, 6))
})

test.concurrent.each([
  [[KEY]],
  [[`--${KEY}`]],
  [['login', `--key=${KEY}`]],
  [['login', '--base-url', `https://me:${CANARY}@gateway.example/api`]],
  [['balance', '--base-url', `${KEY}`]],
  [['profiles', 'use', KEY]],
  [['usage', '--since', KEY]],
  [['video', '--job', KEY]],
  [['transcribe', KEY]],
])('svc %j does not print the key', async (words) => {
  const { out, notes } = await svc(words)
  expect(out + notes).not.toContain(CANARY)
})

test.concurrent.each([
  [{ SVC_API_KEY: `x ${KEY}` }],
  [{ SVC_BASE_URL: `https://me:${CANARY}@gateway.example` }],
  [{ SVC_PROFILE: KEY }],
])('svc balance with %j does not print it', async (env) => {
  const { out, notes } = await svc(['balance'], { env })
  expect(out + notes).not.toContain(CANARY)
})

function run(file: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const program = join(import.meta.dirname, '../..', file)
  const options = {
    env: { ...childEnvironment(), SVC_DATA_DIR: '/dev/null/svc', ...env },
    cwd: folder,
  }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], options, (error, stdout, stderr) => {
      expect(error).not.toBeNull()
      resolve(stdout + stderr)
    })
  })
}

describe('the programs of the server', () => {
  test.concurrent.each([
    ['packages/server/dist/main.js', [KEY]],
    ['packages/server/dist/admin.js', [KEY]],
    ['packages/server/dist/admin.js', ['key', 'revoke', '--key', KEY]],
    ['packages/server/dist/admin.js', ['credits', 'grant', '--account', KEY, '--amount', '1', '--reason', 'x']],
    ['packages/server/dist/admin.js', ['credits', 'grant', '--account', 'a', '--amount', KEY, '--reason', 'x']],
    ['packages/server/dist/fund.js', ['--usdg', KEY]],
    ['packages/server/dist/sweeper.js', [KEY]],
    ['bench/bench.ts', [KEY]],
  ])('%s does not print a key among %j', async (file, words) => {
    expect(await run(file, words)).not.toContain(CANARY)
  })

  test.concurrent.each([
    // Each of them is wrong, and all are reported at once.
    {
      SVC_PORT: KEY,
      SVC_DATABASE_URL: `mysql://me:${CANARY}@127.0.0.1:port/svc`,
      SVC_SMTP_URL: `smtp://me:${CANARY}@127.0.0.1:1/path`,
      SVC_UPSTREAM: CANARY,
      SVC_UPSTREAM_URL: `https://me:${CANARY}@127.0.0.1:port/v1`,
      SVC_UPSTREAM_API_KEY: `${CANARY} ${CANARY}`,
      SVC_RPC_URLS_4663: `https://rpc.example/v3/${CANARY},nowhere`,
      SVC_KEY_PEPPER: CANARY,
      SVC_SESSION_SECRET: `${CANARY} x`,
      SVC_MEDIA_SECRET: CANARY,
      SVC_DEPOSIT_XPUB: `xprv${CANARY}${CANARY}`,
      SVC_UNKNOWN_SECRET: CANARY,
      SVC_LOG_LEVEL: CANARY,
      SVC_TRUSTED_PROXIES: CANARY,
    },
    // Nothing listens there.
    { SVC_DATABASE_URL: `postgres://me:${CANARY}@127.0.0.1:1/svc` },
    { SVC_DATABASE_URL: `postgres://127.0.0.1:1/svc?user=me&password=${CANARY}` },
  ])('a start that fails does not print what it was given (%#)', async (env) => {
    const told = await run('packages/server/dist/main.js', [], { SVC_HOST: '127.0.0.1', ...env })
    expect(told).toContain('SVC_')
    expect(told).not.toContain(CANARY)
  })

  test('a configuration file that is wrong is reported without its values', async () => {
    writeFileSync(
      join(folder, 'svc.config.json'),
      JSON.stringify({
        upstreams: [{ name: 'a', kind: CANARY, url: `https://me:${CANARY}@x:y`, api_key: CANARY, [CANARY]: 1 }],
        limits: { requests_per_minute: CANARY },
      }).replace('"limits"', '"limits'),
    )
    expect(await run('packages/server/dist/main.js', [])).not.toContain(CANARY)
  })
})
