import { expect, test } from 'vitest'
import { csvField } from './csv-field.ts'

test.each([
  ['plain', 'plain'],
  ['a, b', '"a, b"'],
  ['say "hi"', '"say ""hi"""'],
  ['', ''],
  ['a-b+c@d=e', 'a-b+c@d=e'],
  ['=1+1', "'=1+1"],
  ['  =1', `"  '=1"`],
  ['\r\n=1', `"\r\n'=1"`],
])('%j is written as %j', (text, field) => {
  expect(csvField(text)).toBe(field)
})

test('numbers stay numbers, also those below zero; nothing is nothing', () => {
  expect([csvField(-5), csvField(-5n), csvField(true), csvField(null)]).toEqual(['-5', '-5', 'true', ''])
})

/** The cells that a spreadsheet makes of a line, by the separator of its locale. Quotes count at a cell's start. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= line.length;) {
    if (line[at] === '"') {
      const end = /(?:[^"]|"")*/.exec(line.slice(at + 1))?.[0].length ?? 0
      cells.push(line.slice(at + 1, at + 1 + end).replaceAll('""', '"'))
      at = line.indexOf(separator, at + end + 2)
    } else {
      const end = line.indexOf(separator, at)
      cells.push(line.slice(at, end === -1 ? undefined : end))
      at = end
    }
    if (at === -1) break
    at += 1
  }
  return cells
}

const STARTS = ['=1+1', '+1', '-1+2', '@SUM(A1)', '＝1', '＋1', '－1', '＠A1']
const BEFORE = [
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  '"',
  "'",
  'x,',
  'x;',
  'x|',
  'x\t',
  'x\n',
  'x; "',
  "x, '",
  '\u0000',
  '\u0001 ',
]

test.each([',', ';', '\t', '|', '\n'])('no text is a formula in any cell, where %j parts them', (separator) => {
  for (const before of BEFORE) {
    for (const start of STARTS) {
      const line = `a${separator}${csvField(`${before}${start}`)}`
      for (const cell of cellsOf(line, separator)) {
        expect([line, /^[\s"]*[=+\-@＝＋－＠]/.test(cell)]).toEqual([line, false])
      }
    }
  }
})

test('a text without formulas comes back as it was', () => {
  for (const text of ['x, "y"\nz', ' lead', 'a;b|c', 'ключ 🗝']) {
    const field = csvField(text)
    expect(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field).toBe(text)
  }
})
