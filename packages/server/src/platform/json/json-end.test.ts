import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonEnd } from './json-end.ts'

test('an object has ended when it can be parsed, and not before, however it is cut', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 1, max: 7 }), (value, size) => {
      const text = JSON.stringify(value)
      const end = new JsonEnd()
      for (let at = 0; at < text.length; at += size) {
        expect(end.isReached).toBe(false)
        end.push(text.slice(at, at + size))
      }
      expect(end.isReached).toBe(true)
    }),
  )
})
