import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test('commas, quotes and line ends are quoted', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', null, 3, true])).toBe('"a,b","say ""hi""","two\nlines",,3,true\n')
})

test('a spreadsheet calculates nothing of it, and numbers stay numbers', () => {
  expect(csvLine(['=1+1', '@SUM(A1)', '+x', '-3.5', '-cmd'])).toBe("'=1+1,'@SUM(A1),'+x,-3.5,'-cmd\n")
})
