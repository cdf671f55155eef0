/** The terminal client as it is published: one file that needs Node alone. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findNpm } from '../tools/launcher/find-npm.mjs'

const run = promisify(execFile)
const source = path.join(import.meta.dirname, '../packages/cli')
/** Source: decision 0039 (the terminal client). */
const BYTES_MAX = 2 * 1024 * 1024

let folder: string
let packedBytes: number
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-package-'))
  const npm = findNpm()
  await run(process.execPath, [npm, 'pack', '--pack-destination', folder], { cwd: source })
  const packed = path.join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
  packedBytes = statSync(packed).size
  await run(process.execPath, [npm, 'install', '--offline', '--no-audit', '--no-fund', packed], { cwd: folder })
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('it is small', () => {
  expect(packedBytes).toBeGreaterThan(0)
  expect(packedBytes).toBeLessThan(BYTES_MAX)
})

test('it installs into an empty folder without anything else, and runs', async () => {
  const program = path.join(folder, 'node_modules/.bin/svc')
  const { stdout } = await run(program, ['--version'])
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@svc'])
})

test('an older Node prints which one is needed, in one line', async () => {
  const program = path.join(folder, 'node_modules/@svc/cli/dist/svc.cjs')
  const asOlder = `Object.defineProperty(process, 'versions', { value: { node: '20.11.1' } }); require('${program}')`
  await expect(run(process.execPath, ['-e', asOlder])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'svc needs Node 22.19 or newer; this is Node 20.11.1.\n',
  })
})

test('it says what to do without a signed-in profile', async () => {
  const program = path.join(folder, 'node_modules/.bin/svc')
  const env = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: folder }
  await expect(run(program, ['balance'], { env })).rejects.toMatchObject({
    code: 4,
    stderr: expect.stringContaining('svc login') as string,
  })
})
