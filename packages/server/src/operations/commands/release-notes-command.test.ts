import { expect, test } from 'vitest'
import { AdminError } from './admin-error.ts'
import { notesSince, parseChangelog } from './release-notes-command.ts'

const changelog = `# Changelog

Before everything.

## 0.3.0 (unreleased)

### For operators

- Third.

## 0.2.0 (2026-11-02)

- Second.

## 0.1.0

- First.
`

test('a changelog is read by its versions, each with its text whole', () => {
  expect(parseChangelog(changelog)).toEqual([
    { version: '0.3.0', released: 'unreleased', text: '### For operators\n\n- Third.' },
    { version: '0.2.0', released: '2026-11-02', text: '- Second.' },
    { version: '0.1.0', released: '', text: '- First.' },
  ])
})

test('what came after a version are the notes of those above it', () => {
  const all = parseChangelog(changelog)
  expect(notesSince(all, '0.1.0').map(({ version }) => version)).toEqual(['0.3.0', '0.2.0'])
  expect(notesSince(all, '0.3.0')).toEqual([])
  expect(() => notesSince(all, '0.0.9')).toThrow(AdminError)
})
