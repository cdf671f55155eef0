import { expect, test } from 'vitest'
import { sectionsOf, siteHref, slugOf } from './guides.ts'

test.each([
  ['#chat', '#chat'],
  ['errors.md', '/docs/errors'],
  ['errors.md#insufficient_credits', '/docs/errors/insufficient_credits'],
  ['errors.md#retries', '/docs/errors#retries'],
  ['money.md#rerank', '/docs/guides/money#rerank'],
  ['https://example.com/a', 'https://example.com/a'],
  ['operations.md#several-upstreams', null],
  ['decisions/0023-images.md', null],
  ['javascript:alert(1)', null],
])('%s leads to %s', (href, to) => {
  expect(siteHref(href)).toBe(to)
})

test('what a block of code says is no heading', () => {
  const sections = sectionsOf('# One\n\ntext\n\n```sh\n# two\n```\n\n## `Three` & more\nend')
  expect(sections.map(({ slug, level }) => [slug, level])).toEqual([
    ['one', 1],
    ['three--more', 2],
  ])
  expect(slugOf('What can be checked, and what cannot')).toBe('what-can-be-checked-and-what-cannot')
})
