import { expect, test } from 'vitest'
import { isPlainEmailAddress } from './email-address.ts'

test.each([
  'ada@example.com',
  'ADA.Lovelace@Example.COM',
  'a@b.co',
  'ada+receipts@mail.example.com',
  "o'brien@example.ie",
  'ada_l-2@xn--bcher-kva.example',
  'ada@example.xn--p1ai',
  `${'a'.repeat(64)}@example.com`,
])('takes %s', (address) => {
  expect(isPlainEmailAddress(address)).toBe(true)
})

test.each([
  ['nothing', ''],
  ['no host', 'ada'],
  ['an empty host', 'ada@'],
  ['no local part', '@example.com'],
  ['a host of one label', 'ada@localhost'],
  ['two at signs', 'ada@b@example.com'],
  ['a list', 'ada@example.com,eve@example.com'],
  ['a list with semicolons', 'ada@example.com;eve@example.com'],
  ['a group', 'friends:ada@example.com;'],
  ['a display name', 'Ada <ada@example.com>'],
  ['angle brackets', '<ada@example.com>'],
  ['a comment', 'ada(eve@example.com)@example.com'],
  ['a quoted local part', '"ada"@example.com'],
  ['a quoted address in the local part', '"eve@example.com"@example.com'],
  ['a quoted pair', 'ad\\a@example.com'],
  ['the percent hack', 'eve%example.com@relay.example'],
  ['a bang path', 'relay!eve@example.com'],
  ['a source route', '@relay.example:ada@example.com'],
  ['a pipe', '|cat@example.com'],
  ['a path', '/etc/passwd@example.com'],
  ['an option of a program', '-OQueueDirectory=/tmp@example.com'],
  ['a blank', 'ada @example.com'],
  ['a blank before', ' ada@example.com'],
  ['a line end after', 'ada@example.com\n'],
  ['another header', 'ada@example.com\r\nBcc: eve@example.com'],
  ['another header, encoded', 'ada@example.com%0d%0aBcc:eve@example.com'],
  ['a NUL', 'ada@example.com\u0000.eve.example'],
  ['a tab', 'ada@exa\tmple.com'],
  ['an address literal', 'ada@[127.0.0.1]'],
  ['an address as host', 'ada@127.0.0.1'],
  ['two dots', 'ada..l@example.com'],
  ['a dot at the end', 'ada.@example.com'],
  ['a dot at the beginning', '.ada@example.com'],
  ['a dot after the host', 'ada@example.com.'],
  ['a hyphen before a label', 'ada@-example.com'],
  ['a host outside of ASCII', 'ada@exämple.com'],
  ['a local part outside of ASCII', 'аda@example.com'],
  ['a fullwidth at sign', 'ada＠example.com'],
  ['a fullwidth dot', 'ada@example．com'],
  ['a zero-width space', 'ada@exam\u200bple.com'],
  ['a right-to-left override', 'ada@\u202emoc.elpmaxe'],
  ['a local part that is too long', `${'a'.repeat(65)}@example.com`],
  ['an address that is too long', `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(66)}.com`],
])('refuses %s', (_what, address) => {
  expect(isPlainEmailAddress(address)).toBe(false)
})
