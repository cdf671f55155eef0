import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { type Column, cut, renderTable } from './table.ts'

interface Fruit {
  readonly name: string
  readonly price: string
  readonly note: string
}

const columns: readonly Column<Fruit>[] = [
  { title: 'NAME', cell: (fruit) => fruit.name, shrinkTo: 4 },
  { title: 'PRICE', cell: (fruit) => fruit.price, align: 'right' },
  { title: 'NOTE', cell: (fruit) => fruit.note, dropAt: 1 },
]
const fruits: readonly Fruit[] = [
  { name: 'apple', price: '1.5', note: 'red' },
  { name: 'watermelon', price: '120', note: 'heavy' },
]

describe('renderTable', () => {
  test('columns are as wide as their cells, numbers are aligned right', () => {
    expect(renderTable(fruits, columns, Infinity)).toEqual([
      'NAME        PRICE  NOTE',
      'apple         1.5  red',
      'watermelon    120  heavy',
    ])
  })

  test('a narrow terminal cuts what may be cut before it leaves a column out', () => {
    expect(renderTable(fruits, columns, 20)).toEqual([
      'NAME    PRICE  NOTE',
      'apple     1.5  red',
      'water…    120  heavy',
    ])
    expect(renderTable(fruits, columns, 15)).toEqual(['NAME      PRICE', 'apple       1.5', 'waterme…    120'])
  })

  test('columns that mean something together alone go together', () => {
    const pair: readonly Column<Fruit>[] = [
      { title: 'NAME', cell: (fruit) => fruit.name },
      { title: 'PRICE', cell: (fruit) => fruit.price, align: 'right', dropAt: 1 },
      { title: 'EACH', cell: (fruit) => fruit.note, dropAt: 1 },
    ]
    expect(renderTable(fruits, pair, 18)).toEqual(['NAME', 'apple', 'watermelon'])
  })

  test('a column whose ends tell cells apart is cut at its start, by whole wide characters', () => {
    const ids: readonly Column<Fruit>[] = [{ title: 'ID', cell: (fruit) => fruit.name, shrinkTo: 4, keepsEnd: true }]
    const rows = ['maker/model-1', 'maker/model-2', '日本語の模型'].map((name) => ({ name, price: '', note: '' }))
    expect(renderTable(rows, ids, 8)).toEqual(['ID', '…model-1', '…model-2', '…の模型'])
  })

  test('no line is wider than the terminal, whatever the cells hold', () => {
    const cells = fc.record({
      name: fc.string({ unit: 'grapheme' }),
      price: fc.string({ maxLength: 5 }),
      note: fc.string(),
    })
    fc.assert(
      fc.property(fc.array(cells), fc.integer({ min: 13, max: 200 }), (rows, width) => {
        for (const line of renderTable(rows, columns, width)) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('a cell cannot steer the terminal or break its line', () => {
    const evil = [{ name: '\u001b[31mred\nblue', price: '1', note: '\u009b2J' }]
    expect(renderTable(evil, columns, Infinity)[1]).toBe('[31mred blue      1  2J')
  })
})

test('a text is cut by characters as people see them', () => {
  expect(cut('日本語テキスト', 7)).toBe('日本語…')
  expect(cut('👩‍👩‍👧‍👦 family', 4)).toBe('👩‍👩‍👧‍👦 …')
  expect(cut('short', 5)).toBe('short')
})
