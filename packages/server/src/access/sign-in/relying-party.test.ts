import { expect, test } from 'vitest'
import { relyingPartyOf } from './relying-party.ts'

test.each([
  [['https://ai.example.com'], { id: 'ai.example.com', origins: ['https://ai.example.com'] }],
  [['https://ai.example.com:8443'], { id: 'ai.example.com', origins: ['https://ai.example.com:8443'] }],
  [
    ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'],
    { id: 'localhost', origins: ['http://localhost:8080'] },
  ],
  // Its own machine is reached by a name, too.
  [['http://127.0.0.1:8080', 'http://localhost:8080'], { id: 'localhost', origins: ['http://localhost:8080'] }],
  [['http://ai.localhost:8080'], { id: 'ai.localhost', origins: ['http://ai.localhost:8080'] }],
  [['http://ai.example.com'], 'plain_http'],
  [['http://192.0.2.7:8080'], 'bare_address'],
  [['https://192.0.2.7'], 'bare_address'],
  [['https://[2001:db8::1]'], 'bare_address'],
])('a gateway at %j has passkeys for %j', (origins, expected) => {
  expect(relyingPartyOf(origins)).toEqual(expected)
})
