import { expect, test } from 'vitest'
import { withoutControls } from './without-controls.ts'

test('nothing that steers a terminal is left, and text stays', () => {
  expect(withoutControls('\u001b]0;title\u0007a\u009b31mb\tc\nd\r\u007f 日本 é')).toBe(']0;titlea31mb\tc\nd 日本 é')
})
