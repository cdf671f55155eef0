import { expect, test } from 'vitest'
import { isWebAddress } from './browser-sign-in.ts'

test('a gateway can have a page opened, and no other program started', () => {
  expect(isWebAddress('https://ai.example.com/console/device')).toBe(true)
  expect(isWebAddress('http://localhost:8787/console/device')).toBe(true)
  for (const address of ['file:///etc/passwd', 'vscode://x', 'javascript:alert(1)', '/bin/sh', '']) {
    expect([address, isWebAddress(address)]).toEqual([address, false])
  }
})
