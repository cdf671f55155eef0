/** Whether the bench runs and says what it should. Its figures are no matter here: the machine may be busy. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { FIGURES_BEGIN, FIGURES_END } from '../../bench/report.ts'
import type { RowResult } from '../../bench/row.ts'

const runFile = promisify(execFile)
const BENCH = join(import.meta.dirname, '../../bench/bench.ts')

test('a quick run prints a line for each row, writes its results, and leaves nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'))
  // A folder of its own for temporary files, so that what is left there can be seen.
  const temporary = await mkdtemp(join(tmpdir(), 'bench-test-'))
  const [json, document] = [join(folder, 'results.json'), join(folder, 'document.md')]
  await writeFile(document, `before\n${FIGURES_BEGIN}\nearlier figures\n${FIGURES_END}\nafter\n`)
  const args = ['--quick', '--rows', '1,4', '--pairs', '1', '--seconds', '0.2', '--json', json, '--document', document]
  const { stdout } = await runFile(process.execPath, [BENCH, ...args], {
    env: { ...process.env, TMPDIR: temporary },
  })

  const [machine = '', ...table] = stdout.trim().split(/\n+/)
  expect(machine).toMatch(/\d+ cores, \d+ GiB, fdatasync [\d.]+ ms, Node 24\.[\d.]+, commit \w+/)
  expect(table).toHaveLength(5)
  expect(new Set(table.map((line) => line.length)).size).toBe(1)
  expect(table[2]).toMatch(/^\| 1 +\| CPU per billed request, embedded, 64 connections +\| .* ≤ 1\.60 × /)
  expect(table[3]).toMatch(/^\| 1 +\| the same in a closed loop, embedded +\| .* requests\/s; \d+ against \d+ per core/)
  expect(table[4]).toMatch(/^\| 4 +\| CPU per streamed chunk, 50 streams of 10 chunks 20 ms apart +\| .* ≤ 1\.30 × /)

  const { results }: { results: readonly RowResult[] } = JSON.parse(await readFile(json, 'utf8'))
  expect(results.map(({ row }) => row)).toEqual([1, 1, 4])
  for (const { verdict, spread } of results.filter(({ goal }) => goal !== null)) {
    expect(['no verdict', 'refused']).toContain(verdict)
    expect(spread === null).toBe(verdict === 'refused')
  }
  const filled = await readFile(document, 'utf8')
  expect(filled).toContain(machine)
  expect(filled).not.toContain('earlier figures')
  expect(filled).toMatch(/^before\n[^]+\nafter\n$/)
  expect(await readdir(temporary)).toEqual([])
  for (const used of [folder, temporary]) await rm(used, { recursive: true })
})
