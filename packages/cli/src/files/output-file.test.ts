import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOutput } from '../terminal/output.ts'
import { reserveFile } from './output-file.ts'

const out = createOutput(new PassThrough(), { hasColour: false, onEnd: () => undefined })
let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = (text: string): AsyncIterable<Uint8Array> => Readable.from([Buffer.from(text)])

test('a file that may be overwritten stays as it is until the new one is whole', async () => {
  const name = path.join(folder, 'a.mp3')
  writeFileSync(name, 'old')
  const file = await reserveFile(name, { force: true, out })
  expect(readFileSync(name, 'utf8')).toBe('old')
  await file.write(bytes('new'))
  expect([readdirSync(folder), readFileSync(name, 'utf8')]).toEqual([['a.mp3'], 'new'])
  await (await reserveFile(name, { force: true, out })).discard()
  expect([readdirSync(folder), readFileSync(name, 'utf8')]).toEqual([['a.mp3'], 'new'])
})

test('a place that takes no file is refused before anything is paid for, forced or not', async () => {
  for (const force of [true, false]) {
    await expect(reserveFile(folder, { force, out })).rejects.toThrow('is a folder')
    await expect(reserveFile(path.join(folder, 'none/a.mp3'), { force, out })).rejects.toThrow('cannot be written')
  }
  expect(readdirSync(folder)).toEqual([])
})

test('a device is written to where that is asked for, and never becomes a file', async () => {
  await expect(reserveFile('/dev/null', { force: false, out })).rejects.toThrow('exists already')
  expect(await (await reserveFile('/dev/null', { force: true, out })).write(bytes('gone'))).toBe(4)
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
})

// A write may take a part of what it is given, as where the disk is full: the shell's limit on files does the same.
test.skipIf(process.platform === 'win32')('a file that has no room for its last bytes is none', () => {
  const [module, name] = [path.join(import.meta.dirname, 'output-file.ts'), path.join(folder, 'a.mp4')]
  const program = `
    import { reserveFile } from ${JSON.stringify(module)}
    const file = await reserveFile(${JSON.stringify(name)}, { force: false, out: null })
    const pieces = async function* () { yield Buffer.alloc(20_000) }
    console.log(await file.write(pieces()).catch(({ code }) => code))`
  const shell = 'ulimit -f 8; exec "$0" --input-type=module -e "$1"'
  const { stdout, stderr } = spawnSync('sh', ['-c', shell, process.execPath, program], { encoding: 'utf8' })
  expect([stdout.trim(), readdirSync(folder)], stderr).toEqual(['EFBIG', []])
})
