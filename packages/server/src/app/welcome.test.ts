import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAnvil } from '@svc/sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { withLocalDeposits } from './open-local-chains.ts'
import { welcome } from './welcome.ts'

const workingDir = '/srv/gateway'
const nobody = { demoKey: null, firstRunAddress: null, isConsoleBuilt: true }

let folder: string
let sandbox: Config
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-welcome-'))
  sandbox = loadConfig({ env: {}, workingDir: folder }).config
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What a start prints. */
function printed(over: Partial<Config>, { env = {}, newcomer = {}, adminCommand = 'npm run admin --' } = {}): string {
  return welcome({ ...sandbox, ...over }, { ...nobody, ...newcomer }, { env, workingDir, adminCommand })
}

test.each([
  ['/srv/gateway/.svc', null],
  ['/srv/gateway/.svc-live', 'SVC_DATA_DIR=.svc-live'],
  ['/srv/gateway/books', 'SVC_DATA_DIR=books'],
  ['/srv/gateway', 'SVC_DATA_DIR=/srv/gateway'],
  ['/var/lib/svc', 'SVC_DATA_DIR=/var/lib/svc'],
  ["/var/lib/Ada's books", String.raw`SVC_DATA_DIR='/var/lib/Ada'\''s books'`],
])('the commands for a first key lead to the folder %s', (dataDir, setting) => {
  const text = printed({ dataDir })
  if (setting === null) expect(text).not.toContain('SVC_DATA_DIR')
  else expect(text).toContain(`  export ${setting}\n  npm run admin -- account create`)
})

test.skipIf(findAnvil() === null)('the command that pays the demo account finds the folder and the port', async () => {
  const { deposits } = await withLocalDeposits(sandbox)
  const newcomer = { demoKey: 'a key' }
  expect(printed({ deposits, dataDir: '/srv/gateway/.svc' }, { newcomer })).toContain('; "npm run fund" pays')
  expect(printed({ deposits, dataDir: '/srv/gateway/.svc-2', port: 9000 }, { newcomer })).toContain(
    '; "SVC_DATA_DIR=.svc-2 SVC_PORT=9000 npm run fund" pays',
  )
})

test('a database and a pepper are named, and neither is shown', () => {
  const env = { SVC_DATABASE_URL: 'postgres://me:canary@db/books', SVC_KEY_PEPPER: 'canary' }
  const text = printed({ databaseUrl: env.SVC_DATABASE_URL, dataDir: '/srv/gateway/.svc' }, { env })
  expect(text).toContain('set SVC_DATABASE_URL and SVC_KEY_PEPPER as for this start\n')
  expect(text).not.toContain('canary')
  expect(printed({}, { env: { SVC_DATABASE_URL: ' ' } })).not.toContain('SVC_DATABASE_URL')
  const files = { SVC_DATABASE_URL: '', SVC_DATABASE_URL_FILE: '/run/secrets/url', SVC_KEY_PEPPER_FILE: '/run/pepper' }
  expect(printed({}, { env: files })).toContain('set SVC_DATABASE_URL_FILE and SVC_KEY_PEPPER_FILE as for this start\n')
})

test('a gateway that was started without npm shows commands without npm', () => {
  const text = printed({}, { adminCommand: 'node packages/server/dist/admin.js' })
  expect(text).toContain('  node packages/server/dist/admin.js key create')
  expect(text).not.toContain('npm run admin')
})

test('without built pages there is no link to them, but the way to build them', () => {
  const link = 'http://localhost:8787/console/first-run#token'
  expect(printed({}, { newcomer: { firstRunAddress: link } })).toContain(link)
  const text = printed({}, { newcomer: { firstRunAddress: link, isConsoleBuilt: false } })
  expect(text).not.toContain('/console')
  expect(text).toContain('"npm run build"')
  expect(text).toContain('has no operator yet')
  expect(printed({}, { newcomer: { isConsoleBuilt: false } })).not.toContain('operator')
})
