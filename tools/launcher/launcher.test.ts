/** The launcher as a process, in a small clone of its own with an npm that a test controls. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isRecentNode } from './find-node.mjs'

const LOCK = {
  packages: {
    '': { name: 'clone' },
    'node_modules/one': { version: '1.0.0', integrity: 'sha512-one' },
    'node_modules/other': { version: '1.0.0', integrity: 'sha512-other', optional: true, os: ['plan9'] },
  },
}

/**
 * Installs what npm would, and notes that it was called. Fails with the text of the file `fail`; waits while `hold`
 * exists.
 */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
appendFileSync('calls', process.argv[2] + '\\n')
while (existsSync('hold')) await new Promise((resolve) => setTimeout(resolve, 20))
rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules/one', { recursive: true })
if (existsSync('fail')) {
  process.stderr.write(readFileSync('fail', 'utf8'))
  process.exit(1)
}
writeFileSync('node_modules/one/package.json', '{}')
const one = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages['node_modules/one']
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/one': one } }))
`

/** Processes start slowly on a busy machine. */
const SOON = { timeout: 30_000 }

let root = ''
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svc-launcher-'))
  cpSync(path.join(import.meta.dirname, '..', 'launch.mjs'), path.join(root, 'tools', 'launch.mjs'))
  cpSync(import.meta.dirname, path.join(root, 'tools', 'launcher'), { recursive: true })
  mkdirSync(path.join(root, 'npm'))
  write('npm/npm-cli.js', NPM)
  write('npm/package.json', '{ "type": "module" }')
  write('package-lock.json', JSON.stringify(LOCK))
  write('script.mjs', `console.log('ran', ...process.argv.slice(2)); process.exit(Number(process.argv[2] ?? 0))`)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (file: string, text: string): void => writeFileSync(path.join(root, file), text)
const installs = (): number =>
  existsSync(path.join(root, 'calls')) ? readFileSync(path.join(root, 'calls'), 'utf8').split('\n').length - 1 : 0

interface Run {
  readonly child: ChildProcess
  readonly end: Promise<{ readonly code: number | null; readonly signal: string | null }>
  readonly output: () => string
}

function launch(...args: string[]): Run {
  const child = spawn(process.execPath, ['tools/launch.mjs', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], npm_execpath: path.join(root, 'npm', 'npm-cli.js') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  const end = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, end, output: () => output }
}

async function finish(run: Run): Promise<{ readonly code: number | null; readonly output: string }> {
  const { code } = await run.end
  return { code, output: run.output() }
}

test('what is missing is installed once, and the next start says nothing', async () => {
  const first = await finish(launch('script.mjs', '0', 'a b'))
  expect(first.code).toBe(0)
  expect(first.output).toMatch(/installed now.*Installed in .*ran 0 a b/s)
  expect(await finish(launch('script.mjs'))).toEqual({ code: 0, output: 'ran\n' })
  expect(installs()).toBe(1)
})

test('the exit code and the signal of the script are those of the launcher', async () => {
  expect((await finish(launch('script.mjs', '7'))).code).toBe(7)
  write('dies.mjs', `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`)
  expect(await launch('dies.mjs').end).toEqual({ code: null, signal: 'SIGTERM' })
})

test('a signal reaches the script, which decides how to end', async () => {
  write('waits.mjs', `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready')`)
  const run = launch('waits.mjs')
  await expect.poll(run.output, SOON).toContain('ready')
  run.child.kill('SIGTERM')
  expect((await run.end).code).toBe(9)
})

test('launchers that start at once install once', async () => {
  write('hold', '')
  const runs = [launch('script.mjs'), launch('script.mjs'), launch('script.mjs')]
  await expect.poll(() => runs.filter((run) => run.output().includes('waiting')).length, SOON).toBe(2)
  rmSync(path.join(root, 'hold'))
  for (const run of runs) expect((await run.end).code).toBe(0)
  expect(installs()).toBe(1)
  expect(existsSync(path.join(root, 'tools', '.install.lock'))).toBe(false)
})

test('an install whose launcher was killed is waited for, not disturbed', async () => {
  write('hold', '')
  const killed = launch('script.mjs')
  await expect.poll(installs, SOON).toBe(1)
  killed.child.kill('SIGKILL')
  const next = launch('script.mjs')
  await expect.poll(next.output, SOON).toContain('waiting')
  rmSync(path.join(root, 'hold'))
  expect((await next.end).code).toBe(0)
  expect(installs()).toBe(1)
})

test('a lock that a dead process left behind is taken over', async () => {
  const gone = spawn(process.execPath, ['--version'])
  await new Promise((resolve) => gone.once('exit', resolve))
  const host = (await import('node:os')).hostname()
  write('tools/.install.lock', JSON.stringify({ host, holders: [gone.pid], at: 0 }))
  expect((await finish(launch('script.mjs'))).code).toBe(0)
})

test('a failed install is reported in one line and repaired by the next start', async () => {
  write('fail', 'npm error code ENOTFOUND\nnpm error network request failed')
  const failed = await finish(launch('script.mjs'))
  expect(failed.code).toBe(1)
  expect(failed.output.trim().split('\n').at(-1)).toMatch(/^svc: .*could not be reached/)
  rmSync(path.join(root, 'fail'))
  expect((await finish(launch('script.mjs'))).output).toContain('ran')
})

test('a deleted package is installed again', async () => {
  await launch('script.mjs').end
  rmSync(path.join(root, 'node_modules', 'one'), { recursive: true })
  expect((await finish(launch('script.mjs'))).output).toContain('ran')
  expect(installs()).toBe(2)
})

test('a new lock file leads to an install, unless a person has made one by hand', async () => {
  await launch('script.mjs').end
  write('package-lock.json', JSON.stringify({ ...LOCK, version: '2' }))
  await launch('script.mjs').end
  expect(installs()).toBe(1)
  const changed = { ...LOCK.packages, 'node_modules/one': { version: '2.0.0', integrity: 'sha512-two' } }
  write('package-lock.json', JSON.stringify({ packages: changed }))
  await launch('script.mjs').end
  expect(installs()).toBe(2)
})

test('a package of our own that is not linked yet leads to an install', async () => {
  await launch('script.mjs').end
  write('package-lock.json', JSON.stringify({ packages: { ...LOCK.packages, 'node_modules/own': { link: true } } }))
  await launch('script.mjs').end
  expect(installs()).toBe(2)
})

test('a build for this platform that an old Node left out is noticed', async () => {
  await launch('script.mjs').end
  const left = { version: '1.0.0', integrity: 'sha512-n', optional: true, os: process.platform, cpu: process.arch }
  write('package-lock.json', JSON.stringify({ packages: { ...LOCK.packages, 'node_modules/native': left } }))
  await launch('script.mjs').end
  expect(installs()).toBe(2)
})

test('a script that does not exist is named', async () => {
  expect(await finish(launch('tools/nothing.mjs'))).toMatchObject({
    code: 1,
    output: expect.stringContaining('nothing'),
  })
})

test('Node is recent enough from 24.11 on', () => {
  expect(['20.0.0', '22.21.0', '24.10.9', '24.11.0', '26.0.0'].filter(isRecentNode)).toEqual(['24.11.0', '26.0.0'])
})
