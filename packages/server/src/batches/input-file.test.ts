import { BATCH_LINE_BYTES_MAX, BATCH_LINES_MAX } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import type { FileVault } from '../uploads/file-vault.ts'
import { checkInput } from './check-input.ts'
import { type InputFile, LineReader, LineTooLongError, readInput } from './input-file.ts'

/** A file whose bytes come as they are kept: by parts. */
function fileOf(content: string | Buffer): InputFile {
  const bytes = Buffer.from(content)
  const vault: Pick<FileVault, 'open'> = {
    open: async (_file, range) => {
      async function* part(): AsyncGenerator<Buffer> {
        yield bytes.subarray(range?.start, (range?.end ?? bytes.length) + 1)
      }
      return part()
    },
  }
  return { vault: vault as FileVault, file: { mediaName: 'x', bytes: bytes.length } }
}

async function linesIn(input: InputFile, from = { line: 0, offset: 0 }): Promise<(readonly [number, string])[]> {
  const reader = new LineReader(input, from)
  const lines: (readonly [number, string])[] = []
  for (let next = await reader.next(); next !== null; next = await reader.next()) {
    lines.push([next.line, next.bytes.toString()])
  }
  return lines
}

describe('the lines of a file', () => {
  test.each([
    ['', []],
    ['\n\n', []],
    ['a', [[0, 'a']]],
    ['a\nb', [[0, 'a'], [1, 'b']]], // prettier-ignore
    ['a\r\n\r\n \t\nb\r\n', [[0, 'a'], [3, 'b']]], // prettier-ignore
    ['\uFEFFa\nb\n', [[0, 'a'], [1, 'b']]], // prettier-ignore
  ] as const)('of %j', async (content, lines) => {
    expect(await linesIn(fileOf(content))).toEqual(lines)
  })

  test('are the same over blocks of any length, and from where any of them ended', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => `${at}`.repeat(40_000 + at))
    const input = fileOf(`${texts.join('\n')}\n`)
    expect((await linesIn(input)).map(([, text]) => text)).toEqual(texts)
    const reader = new LineReader(input, { line: 0, offset: 0 })
    for (let at = 0; at < texts.length; at += 13) {
      const next = (await reader.next())!
      const rest = await linesIn(input, { line: next.line + 1, offset: next.nextOffset })
      expect(rest.map(([, text]) => text)).toEqual(texts.slice(next.line + 1))
      expect((await readInput(input, next.startAt, next.bytes.length)).equals(next.bytes)).toBe(true)
    }
  })

  test('have a limit', async () => {
    const input = fileOf(`a\n${'x'.repeat(BATCH_LINE_BYTES_MAX + 1)}`)
    await expect(linesIn(input)).rejects.toThrow(new LineTooLongError(1, BATCH_LINE_BYTES_MAX).message)
  })
})

describe('the check of a file', () => {
  const check = (content: string) =>
    checkInput(new LineReader(fileOf(content), { line: 0, offset: 0 }), '/v1/embeddings')
  const line = (id: number) => `{"custom_id":"${id}","method":"POST","url":"/v1/embeddings","body":{}}`

  test('counts what is in order, and names the lines that are not', async () => {
    expect(await check(`${line(1)}\n\n${line(2)}\n`)).toEqual({ total: 2, problems: [] })
    const { problems } = await check(`${line(1)}\n{}\n[]\n${line(1)}\n${line(2).replace('POST', 'GET')}`)
    expect(problems.map(({ code, param, line: at }) => [at, code, param])).toEqual([
      [2, 'missing_required_parameter', 'custom_id'],
      [3, 'invalid_json_line', null],
      [4, 'duplicate_custom_id', 'custom_id'],
      [5, 'invalid_value', 'method'],
    ])
  })

  test('finds a file without requests, and one with too many or too long ones', async () => {
    const many = Array.from({ length: BATCH_LINES_MAX + 1 }, (_, at) => line(at)).join('\n')
    const long = 'x'.repeat(BATCH_LINE_BYTES_MAX + 1)
    const found = await Promise.all([check('\n'), check(many), check(long), check('{}\n'.repeat(60))])
    expect(found.map(({ problems }) => [problems.length, problems[0]?.code])).toEqual([
      [1, 'empty_file'],
      [1, 'too_many_tasks'],
      [1, 'request_too_large'],
      [50, 'missing_required_parameter'],
    ])
  })
})
