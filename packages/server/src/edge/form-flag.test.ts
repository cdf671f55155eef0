import { expect, test } from 'vitest'
import { formFlag } from './form-flag.ts'

test.each([
  ['true', 'true'],
  ['True', 'true'],
  ['FALSE', 'false'],
  ['yes', 'yes'],
  ['', ''],
])('%j is read as %j', (text, read) => {
  expect(formFlag(text)).toBe(read)
})
