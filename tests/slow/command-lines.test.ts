/** What the programs of this repository answer to a command line that is wrong, and to a question for help. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { buildServer } from '../../packages/server/build/build-server.mjs'

const ROOT = join(import.meta.dirname, '../..')
beforeAll(() => buildServer())

/** The formatter is no program of ours; the terminal client says two lines, which its own tests read. */
const FOREIGN = ['format', 'svc']

interface Ended {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

function runScript(script: string, ...words: string[]): Promise<Ended> {
  const [file = '', ...given] = script.split(' ')
  // A folder that cannot be made: a program that begins its work all the same fails, and with another code.
  const env = { ...process.env, SVC_DATA_DIR: '/dev/null/svc' }
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, file), ...given, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    )
  })
}

/** Runs a program whose output is read by no one, as behind `head` once that has its lines. */
async function runUnread(script: string, ...words: string[]): Promise<Omit<Ended, 'stdout'>> {
  const [file = '', ...given] = script.split(' ')
  const child = spawn(process.execPath, [join(ROOT, file), ...given, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [unknown]
  return { code, stderr }
}

/** The programs, by the scripts of package.json: one that is added later is looked at, too. */
async function readScripts(): Promise<readonly (readonly [name: string, script: string])[]> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  return Object.entries(scripts)
    .filter(([name]) => !FOREIGN.includes(name))
    .map(([name, script]) => [name, script.replace(/^exec node (tools\/launch\.mjs )?/, '')])
}

test('an unknown option ends every program with one line that names it, and exit code 2', async () => {
  const scripts = await readScripts()
  expect(scripts.length).toBeGreaterThan(12)
  const check = async ([name, script]: (typeof scripts)[number]): Promise<void> => {
    const { code, stdout, stderr } = await runScript(script, '--no-such-option=1')
    expect({ name, code, stdout, lines: stderr.trim().split('\n') }).toEqual({
      ...{ name, code: 2, stdout: '' },
      lines: [expect.stringMatching(/^error: unknown option '--no-such-option/)],
    })
  }
  await Promise.all(scripts.map(check))
})

test.each([
  ['soak', '--minutes', '0.3', 'Give a whole number from 1.'],
  ['fuzz', '--only', 'createImages', 'There is no "createImages".'],
])('npm run %s -- %s %s is refused with what is allowed', async (name, option, value, allowed) => {
  const script = (await readScripts()).find(([each]) => each === name)?.[1] ?? ''
  const { code, stderr } = await runScript(script, option, value)
  expect({ code, lines: stderr.trim().split('\n') }).toEqual({ code: 2, lines: [expect.stringContaining(allowed)] })
  expect(stderr).toMatch(new RegExp(`^error: option '${option} <\\w+>' argument '${value}' is invalid\\. `))
})

test('the gateway and the operator commands say which version they are, and begin nothing', async () => {
  const scripts = await readScripts()
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
  const programs = [...['start', 'admin'].map((name) => scripts.find(([each]) => each === name)?.[1] ?? '')]
  const answers = [...programs, 'packages/server/dist/main.js'].map((script) => runScript(script, '--version'))
  for (const answer of await Promise.all(answers)) {
    expect(answer).toEqual({ code: 0, stdout: expect.stringMatching(/^svc \S+ \(Node \S+\)\n$/), stderr: '' })
    expect(answer.stdout).toContain(` ${version} `)
  }
  const notes = await runScript(programs[1] ?? '', 'release-notes')
  expect(notes).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(new RegExp(`^${version} `)) })
})

test('a reader who has gone ends no program with a failure', async () => {
  const scripts = await readScripts()
  const check = async ([name, script]: (typeof scripts)[number], ...words: string[]): Promise<void> => {
    expect({ name, ...(await runUnread(script, ...words)) }).toEqual({ name, code: 0, stderr: '' })
  }
  const admin = scripts.find(([name]) => name === 'admin') ?? ['', '']
  await Promise.all([...scripts.map((each) => check(each, '--help')), check(admin, 'config-schema')])
})
