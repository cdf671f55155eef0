import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configFileJsonSchema, configFileSchema } from './config-file.ts'
import { environmentSchema, reservedNames, secretNames } from './environment.ts'

const docs = new URL('../../../../docs/', import.meta.url)
const page = readFileSync(new URL('configuration.md', docs), 'utf8')

/** Rows of the page's table: the name, and the default or nothing. */
const documented = new Map(
  [...page.matchAll(/^\| `(SVC_\w+)` \| (?:`([^`]*)`)? *\|/gm)].map((match) => [match[1] ?? '', match[2] ?? null]),
)

test('every variable is documented, and every documented variable exists', () => {
  expect([...documented.keys()].toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted())
})

test('documented defaults are the defaults', () => {
  const defaults: Record<string, unknown> = environmentSchema.parse({})
  for (const [name, text] of documented) {
    const value = defaults[name] ?? null
    expect([name, text]).toEqual([name, typeof value === 'number' || typeof value === 'boolean' ? `${value}` : value])
  }
})

test('the secrets that may be files are documented', () => {
  const paragraph = /The secrets are[^]*?\n\n/.exec(page)?.[0] ?? ''
  const named = [...paragraph.matchAll(/`(SVC_\w+)`/g)].map((match) => match[1]).toSorted()
  expect(named).toEqual(secretNames.toSorted())
})

test('names kept for later are documented, and none of them is a variable', () => {
  const paragraph = /These names are kept[^]*?\n\n/.exec(page)?.[0] ?? ''
  const named = [...paragraph.matchAll(/`(SVC_\w+)`/g)].map((match) => match[1]).toSorted()
  expect(named).toEqual([...reservedNames.keys()].toSorted())
  expect([...reservedNames.keys()].filter((name) => name in environmentSchema.shape)).toEqual([])
})

// `npm run admin -- config-schema` prints what belongs into the file.
test('the published JSON schema is that of the configuration', () => {
  const published: unknown = JSON.parse(readFileSync(new URL('svc.config.schema.json', docs), 'utf8'))
  expect(published).toEqual(configFileJsonSchema())
})

test('the documented example is a valid file', () => {
  const example = /```json\n([^]*?)```/.exec(page)?.[1] ?? ''
  expect(configFileSchema.safeParse(JSON.parse(example)).error).toBeUndefined()
})
