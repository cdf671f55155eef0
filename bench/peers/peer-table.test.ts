import { expect, test } from 'vitest'
import { type Figures, replaceFigures } from '../report.ts'
import type { ContenderFigures } from './measure-contender.ts'
import { renderPeers } from './peer-table.ts'

const full: ContenderFigures = {
  ...{ name: 'SVC, embedded', version: 'abc', accounting: 'balances', notes: [] },
  start: { ms: 650, cpuMs: 420 },
  whole: { value: 210.4, bare: 112.2, rate: 1_600 },
  saturation: { perSecond: 2_900, cpuUs: 300, perCoreSecond: 3_333.3 },
  chunk: { value: 61.23, bare: 46.9, streams: 200 },
  latency: { p50: 1.04, p99: 4.2, rate: 290 },
  memory: { mib: 214.4, idleMib: 150, streams: 1_000 },
}
const without: ContenderFigures = {
  ...{ name: 'other', version: '1', accounting: 'none' },
  ...{ start: null, whole: null, saturation: null, chunk: null, latency: null, memory: null },
  notes: ['streams: it | failed'],
}

test('each gateway has a row, what was not measured is empty, and one that is not there is named with the reason', () => {
  const text = renderPeers([full, without], [{ name: 'third', reason: 'no checkout: give its folder' }])
  const [head = '', rule = '', first = '', second = '', , absent] = text.split('\n')
  expect(new Set([head, rule, first, second].map(({ length }) => length)).size).toBe(1)
  const cells = first.split('|').map((cell) => cell.trim())
  expect(cells).toEqual([
    ...['', 'SVC, embedded', 'abc', 'balances', '210 µs', '1.88 × of 112 µs, at 1600/s', '2,900', '3,333 (300 µs)'],
    ...['61.2 µs', '1.31 ×, 200 streams', '1.0, 4.2 ms', '214 MiB, 1,000', '150 MiB', '0.7 s, 0.4 s CPU', '', ''],
  ])
  expect(second).toContain('streams: it   failed')
  expect(absent).toBe('Not measured: third (no checkout: give its folder).')
})

test('the short form has fewer columns', () => {
  const [head = ''] = renderPeers([full], [], 'short').split('\n')
  expect(head.split('|').map((cell) => cell.trim())).toEqual([
    ...['', 'gateway', 'what it books', 'requests a second', 'per second and core', 'CPU per chunk'],
    ...['latency added, p50 and p99', 'memory, streams open', 'start', ''],
  ])
})

test('figures come between their marks, and a document without any is refused', () => {
  const figures: readonly Figures[] = [
    { begin: '<a>', end: '</a>', text: 'one' },
    { begin: '<b>', end: '</b>', text: 'two' },
  ]
  expect(replaceFigures('x <b>old</b> y', figures)).toBe('x <b>\ntwo\n</b> y')
  expect(replaceFigures('<b></b><a></a>', figures)).toBe('<b>\ntwo\n</b><a>\none\n</a>')
  expect(() => replaceFigures('nothing', figures)).toThrow('<a> </a>, <b> </b>')
})
