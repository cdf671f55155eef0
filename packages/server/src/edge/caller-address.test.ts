import { expect, test } from 'vitest'
import { callerAddress, plainAddress, trustProxies } from './caller-address.ts'

test.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:5050', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['[::FFFF:203.0.113.7]:443', '203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::6]', '2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::6]:443', '2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::', '2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8::6', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['::', '::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64'],
  ['[fe80::1%25eth0]:80', 'fe80::1', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221', '64:ff9b:0:0::/64'],
  ['unknown', null, 'unknown'],
  ['_hidden:80', null, 'unknown'],
  ['203.0.113.7.9', null, 'unknown'],
  ['1'.repeat(500), null, 'unknown'],
  // Of a client who has gone.
  [undefined, null, 'unknown'],
])('%s is the address %s and counts as %s', (ip, plain, counted) => {
  expect([plainAddress(ip), callerAddress(ip)]).toEqual([plain, counted])
})

test('a proxy is trusted by its address, however a hop is written', () => {
  const trusts = trustProxies(['loopback', '10.1.0.0/16', '2001:db8:5::/48', '::ffff:192.0.2.0/120', '198.51.100.4'])
  const proxies = ['127.0.0.1', '::1', '::ffff:10.1.2.3', '10.1.2.3:80', '[2001:db8:5::9]:443', '192.0.2.77']
  expect([...proxies, '198.51.100.4'].filter((hop) => !trusts(hop))).toEqual([])
  const others = ['10.2.0.1', '2001:db8:6::1', '198.51.100.5', 'unknown', '', '192.0.3.1']
  expect(others.filter((hop) => trusts(hop))).toEqual([])
})
