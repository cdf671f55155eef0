import { Boxes } from 'lucide-react'
import { expect, test } from 'vitest'
import { findEntries, type PaletteEntry, requestIdOf } from './palette-entries.ts'

const entry = (group: string, name: string, note = ''): PaletteEntry => ({
  id: `${group} ${name}`,
  group,
  name,
  note,
  to: { href: '/' },
  icon: Boxes,
})

const entries = [
  entry('Pages', 'Usage'),
  entry('Keys', 'server', 'sk-svc-ab…9f3c'),
  entry('Models', 'Astra', 'openai/gpt-6-astra'),
  entry('Models', 'GPT 6', 'openai/gpt-6'),
]

test('every word must occur, in the name or beside it, and names that begin with the text come first', () => {
  const names = (text: string): string[] => findEntries(entries, text).map(({ name }) => name)
  expect(names('gpt')).toEqual(['GPT 6', 'Astra'])
  expect(names('OPENAI astra')).toEqual(['Astra'])
  expect(names('9f3c')).toEqual(['server'])
  expect(names('')).toEqual(['Usage', 'server', 'Astra', 'GPT 6'])
  expect(names('nothing')).toEqual([])
})

test('a group never pushes the others away', () => {
  const many = [...Array.from({ length: 300 }, (_value, index) => entry('Models', `m${index}`)), entry('Zoo', 'm')]
  expect(findEntries(many, 'm').map(({ group }) => group)).toEqual([...Array<string>(8).fill('Models'), 'Zoo'])
})

test('the id of a request is known by its form', () => {
  expect(requestIdOf(' 0199F0A0-0000-7000-8000-000000000000 ')).toBe('0199f0a0-0000-7000-8000-000000000000')
  expect(requestIdOf('0199f0a0-0000-7000-8000-00000000000')).toBeNull()
})
