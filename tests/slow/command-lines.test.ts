/** What the programs of this repository answer to a command line that is wrong, and to a question for help. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildServer } from '../../packages/server/build/build-server.mjs'

const ROOT = join(import.meta.dirname, '../..')
beforeAll(() => buildServer())

/** The formatter is no program of ours; the terminal client says two lines, which its own tests read. */
const FOREIGN = ['format', 'svc']

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly scripts: Readonly<Record<string, string>>
}

/** The programs, by the scripts of package.json: one that is added later is looked at, too. */
const programs: readonly (readonly [name: string, script: string])[] = Object.entries(manifest.scripts)
  .filter(([name]) => !FOREIGN.includes(name))
  .map(([name, script]) => [name, script.replace(/^exec node (tools\/launch\.mjs )?/, '')])

const scriptOf = (name: string): string => programs.find(([each]) => each === name)?.[1] ?? ''

/** As the launcher of the npm scripts sets it: without, each start compiles the gateway's sources anew. */
const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') }

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

function runScript(script: string, ...words: string[]): Promise<Ended> {
  const [file = '', ...given] = script.split(' ')
  // A folder that cannot be made: a program that begins its work all the same fails, and with another code.
  const env = { ...process.env, ...COMPILED, SVC_DATA_DIR: '/dev/null/svc' }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, file), ...given, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    )
  })
}

/** Runs a program whose output is read by no one, as behind `head` once that has its lines. */
async function runUnread(script: string, ...words: string[]): Promise<Omit<Ended, 'stdout'>> {
  const [file = '', ...given] = script.split(' ')
  const child = spawn(process.execPath, [join(ROOT, file), ...given, ...words], {
    env: { ...process.env, ...COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [unknown]
  return { code, stderr }
}

test('most npm scripts are programs of ours', () => {
  expect(programs.length).toBeGreaterThan(12)
})

// One process at a time: some of them load all of the gateway's sources, which takes a second of a core each.
describe.each(programs)('npm run %s', (_name, script) => {
  test('ends at an unknown option with one line that names it, and exit code 2', async () => {
    const { code, stdout, stderr } = await runScript(script, '--no-such-option=1')
    expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({
      ...{ code: 2, stdout: '' },
      lines: [expect.stringMatching(/^error: unknown option '--no-such-option/)],
    })
  })

  test('ends with no failure when the reader of its help has gone', async () => {
    expect(await runUnread(script, '--help')).toEqual({ code: 0, stderr: '' })
  })
})

test('npm run admin ends with no failure when the reader of a long answer has gone', async () => {
  expect(await runUnread(scriptOf('admin'), 'config-schema')).toEqual({ code: 0, stderr: '' })
})

test.each([
  ['soak', '--minutes', '0.3', 'Give a whole number from 1.'],
  ['fuzz', '--only', 'createImages', 'There is no "createImages".'],
])('npm run %s -- %s %s is refused with what is allowed', async (name, option, value, allowed) => {
  const { code, stderr } = await runScript(scriptOf(name), option, value)
  expect({ code, lines: stderr.trim().split('\n') }).toEqual({ code: 2, lines: [expect.stringContaining(allowed)] })
  expect(stderr).toMatch(new RegExp(`^error: option '${option} <\\w+>' argument '${value}' is invalid\\. `))
})

test('the gateway and the operator commands say which version they are, and begin nothing', async () => {
  const { version } = manifest
  const started = [scriptOf('start'), scriptOf('admin'), 'packages/server/dist/main.js']
  for (const answer of await Promise.all(started.map((script) => runScript(script, '--version')))) {
    expect(answer).toEqual({ code: 0, stdout: expect.stringMatching(/^svc \S+ \(Node \S+\)\n$/), stderr: '' })
    expect(answer.stdout).toContain(` ${version} `)
  }
  const notes = await runScript(scriptOf('admin'), 'release-notes')
  expect(notes).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(new RegExp(`^${version} `)) })
})
