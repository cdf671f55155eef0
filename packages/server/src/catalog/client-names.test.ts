import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ClientNames, usualClientNames } from './client-names.ts'
import { readDataFile } from './data-file.ts'
import { loadSnapshot } from './snapshot.ts'

describe('the bundled names', () => {
  test('are plain, and each leads to a model of the snapshot', () => {
    const file = z.strictObject({ names: z.record(z.string().regex(/^[a-z0-9.-]+$/), z.string()) })
    const { names } = file.parse(readDataFile('client-names.json'))
    const known = new Set(loadSnapshot().rows.map(({ id }) => id))
    expect(Object.values(names).filter((id) => !known.has(id))).toEqual([])
    expect([...usualClientNames()]).toEqual(Object.entries(names))
  })

  test('each is its model without the maker, points as hyphens or not, with a date or not', () => {
    const plain = (name: string) =>
      name
        .replace(/^.*\//, '')
        .replaceAll('.', '-')
        .replace(/-\d{8}$/, '')
    expect([...usualClientNames()].filter(([name, target]) => plain(name) !== plain(target))).toEqual([])
  })
})

describe('the names that hold', () => {
  const usual = new Map([
    ['claude-a', 'maker/claude-a'],
    ['claude-b', 'maker/claude-b'],
    ['gpt-a', 'maker/gpt-a'],
  ])
  const found = (own: Record<string, string | null>, name: string): string | null =>
    new ClientNames(usual, new Map(Object.entries(own))).find(name)?.target ?? null

  test.each([
    ['a usual one', {}, 'claude-a', 'maker/claude-a'],
    ['none for another', {}, 'claude-c', null],
    ['none for a longer one', {}, 'claude-a-1', null],
    ['the own one in its place', { 'claude-a': 'mine' }, 'claude-a', 'mine'],
    ['the own start in its place', { 'claude-*': 'mine' }, 'claude-a', 'mine'],
    ['the own start for new ones', { 'claude-*': 'mine' }, 'claude-z', 'mine'],
    ['the own exact one before its start', { 'claude-*': 'mine', 'claude-z': 'other' }, 'claude-z', 'other'],
    ['the longest start', { 'claude-*': 'mine', 'claude-z*': 'other' }, 'claude-z1', 'other'],
    ['others beside an own start', { 'claude-*': 'mine' }, 'gpt-a', 'maker/gpt-a'],
    ['none that was taken away', { 'claude-a': null }, 'claude-a', null],
    ['none of those that were taken away', { 'claude-*': null }, 'claude-b', null],
  ])('%s', (_what, own, name, target) => {
    expect(found(own, name)).toBe(target)
  })

  test('are listed with the operator\u2019s first, and without those that only begin so', () => {
    const names = new ClientNames(
      usual,
      new Map([
        ['mine', 'a'],
        ['claude-*', 'b'],
      ]),
    )
    expect([...names.names]).toEqual(['mine', 'gpt-a'])
  })
})
