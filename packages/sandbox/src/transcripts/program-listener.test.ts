import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findRecogniser } from '../find-recogniser.ts'
import { LISTEN_RATE } from './decode-audio.ts'
import { listenWithProgram } from './program-listener.ts'

/**
 * Replaces PocketSphinx: takes its options, and hears of each part how many samples it has, and its loudest one.
 * Source: PocketSphinx, `pocketsphinx_batch -help` and `batch.c`.
 */
const STAND_IN = `
const { readFileSync, writeFileSync } = require('node:fs')
const [options, given] = [{}, process.argv.slice(2)]
for (let at = 0; at < given.length; at += 2) options[given[at]] = given[at + 1]
if (options['-adcin'] !== 'yes' || options['-samprate'] !== '${LISTEN_RATE}') process.exit(1)
const lines = readFileSync(options['-ctl'], 'utf8').trim().split('\\n').map((name) => {
  const bytes = readFileSync(options['-cepdir'] + '/' + name + options['-cepext'])
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const loudest = ['75 -7 -2 loudest(2)', '90 -7 -2 n' + Math.max(...samples)]
  const words = ['0 -5 -1 <s>', '12 -7 -2 samples', '40 -7 -2 n' + samples.length, ...loudest]
  return name + ' S 0 T -1 A -1 L -1 ' + words.join(' ') + ' 110'
})
writeFileSync(__dirname + '/seen', options['-cepdir'])
writeFileSync(options['-hypseg'], lines.reverse().join('\\n') + '\\n')
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-program-'))
  await writeFile(join(folder, 'stand-in.cjs'), STAND_IN)
  const start = `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'stand-in.cjs')}" "$@"\n`
  await writeFile(join(folder, 'pocketsphinx_batch'), start, { mode: 0o755 })
})
afterAll(() => rm(folder, { recursive: true }))

test('the recogniser of the system hears each part and when each word was spoken, and no audio stays', async () => {
  const program = findRecogniser(`/nowhere:${folder}`)
  const parts = [new Float32Array([0, 0.5, -2]), new Float32Array([0.25])]
  const heard = await listenWithProgram(program ?? '', parts)
  expect(heard.map((words) => words.map(({ word }) => word))).toEqual([
    ['samples', 'n3', 'loudest', 'n16384'],
    ['samples', 'n1', 'loudest', 'n8192'],
  ])
  expect(heard[0]?.[0]).toEqual({ word: 'samples', start: 0.12, end: 0.4 })
  expect(heard[0]?.[3]).toEqual({ word: 'n16384', start: 0.9, end: 1.1 })
  const seen = await readFile(join(folder, 'seen'), 'utf8')
  expect(existsSync(seen)).toBe(false)
})

test('a recogniser that fails is a failure of the sandbox', async () => {
  await expect(listenWithProgram('/bin/false', [new Float32Array(1)])).rejects.toMatchObject({ status: 500 })
})

test('where the system has no recogniser none is found', () => {
  expect(findRecogniser('/nowhere::')).toBeNull()
})
