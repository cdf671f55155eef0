/** The code that the documentation and the console show for a video, run unchanged against a whole gateway. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { samplesOf } from '../packages/console/src/reference/operation-samples.ts'
import { readApi } from '../packages/console/src/reference/operations.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'

const gateway = useGateway()
const home = mkdtempSync(path.join(tmpdir(), 'svc-video-samples-'))
afterAll(() => rmSync(home, { recursive: true }))

/** What runs a sample; those for Python need a package that no test installs. */
const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['/bin/sh', '-e', '-c'],
  Node: [process.execPath, '--input-type=module', '-e'],
}
const sampled = readApi().operations.filter(({ id }) => id === 'createVideo' || id === 'submitVideo')
const cases = sampled.flatMap((operation) => Object.keys(PROGRAMS).map((name) => ({ name, operation })))

/** @param key in place of the sample's. */
async function run({ name, operation }: (typeof cases)[number], key: string) {
  const folder = mkdtempSync(path.join(home, `${operation.id}-`))
  const samples = samplesOf(operation, { baseUrl: `${gateway.baseUrl}/v1`, key })
  const [program = '', ...words] = PROGRAMS[name] ?? []
  const code = samples.find((sample) => sample.name === name)?.code ?? ''
  const child = spawn(program, [...words, code], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const said = await Promise.all([text(child.stdout), text(child.stderr)])
  return { exit: await ended, said: said.join(''), file: path.join(folder, 'video.mp4') }
}

test('both addresses have code in these languages', () => {
  expect(cases).toHaveLength(4)
})

/** A film takes the sandbox seconds to make: each address and each language once. */
const made = cases.filter(({ name, operation }) => (name === 'curl') === (operation.id === 'createVideo'))

test.concurrent.each(made)('$operation.id in $name ends with the file', { timeout: 90_000 }, async (sample) => {
  const { exit, said, file } = await run(sample, gateway.key)
  expect([exit, said]).toEqual([0, expect.any(String)])
  expect(readFileSync(file).subarray(4, 8).toString()).toBe('ftyp')
})

test.concurrent.each(cases)('$operation.id in $name says why there is no video', async (sample) => {
  const { exit, said } = await run(sample, 'sk-svc-unknown')
  expect(exit).not.toBe(0)
  expect(said).toContain('API key')
})
