import { expect, test } from 'vitest'
import { cpuRatio, type FigureOf, type Pair, resultOf } from './pairs.ts'
import type { Sample } from './side.ts'

const sample = (cpuUs: number, coreBusy = 0.5): Sample => ({
  ...{ cpuUs, coreBusy, perSecond: 100, p50Ms: 1, p99Ms: 2, generatorBusy: 0.1 },
})
const pairsOf = (count: number, ratio: number, coreBusy?: number): Pair[] =>
  Array.from({ length: count }, () => ({ baseline: sample(100), candidate: sample(100 * ratio, coreBusy) }))
const figure: FigureOf = {
  ...{ row: 1, figure: 'CPU', unit: '×', goal: 1.6, valueOf: cpuRatio },
  notesOf: (median) => [`${median(({ candidate }) => candidate.cpuUs)} µs`],
}

test('ten pairs are judged by their median', () => {
  const judged = (ratio: number) => resultOf({ pairs: pairsOf(10, ratio), disturbed: [], refusal: null }, figure)
  expect(judged(1.5)).toMatchObject({ verdict: 'met', count: 10, notes: ['150 µs'], coreBusy: 0.5 })
  expect(judged(1.75)).toMatchObject({ verdict: 'missed', spread: { median: 1.75, interval: [1.75, 1.75] } })
})

test('fewer pairs have a figure and no verdict', () => {
  const result = resultOf({ pairs: pairsOf(9, 1.5), disturbed: pairsOf(1, 1.5, 0.9), refusal: null }, figure)
  expect(result).toMatchObject({ verdict: 'no verdict', spread: { median: 1.5 } })
  expect(result.notes).toContain('pairs repeated because something was too busy: 1')
})

test('a refused row has no figure but shows how busy it was', () => {
  const refusal = 'refused: core over 80 % busy'
  const result = resultOf({ pairs: pairsOf(9, 1.5), disturbed: pairsOf(6, 1.5, 0.9), refusal }, figure)
  expect(result).toMatchObject({ verdict: 'refused', spread: null, coreBusy: 0.9, notes: [refusal] })
})

test('a figure without a goal is stated', () => {
  const stated = resultOf({ pairs: pairsOf(10, 9), disturbed: [], refusal: null }, { ...figure, goal: null })
  expect(stated.verdict).toBe('stated')
})
