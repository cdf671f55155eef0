import { expect, test } from 'vitest'
import { createUrlSigner } from './url-signer.ts'

const NOW = 1_800_000_000_000
const clock = { now: () => NOW }
const path = '/v1/media/1800003600-0123456789abcdef0123456789abcdef.png'

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url, 'http://gateway').searchParams)
}

test('an address opens until its end and not from then on', () => {
  const signer = createUrlSigner({ secrets: ['one'], clock })
  const url = signer.sign(path, NOW + 1_000)
  expect(url.startsWith(`${path}?expires=1800000001&signature=`)).toBe(true)
  expect(signer.verify(path, queryOf(url))).toBe('valid')
  const later = createUrlSigner({ secrets: ['one'], clock: { now: () => NOW + 1_000 } })
  expect(later.verify(path, queryOf(url))).toBe('expired')
})

test('nothing of an address can be changed', () => {
  const signer = createUrlSigner({ secrets: ['one'], clock })
  const query = queryOf(signer.sign(path, NOW + 1_000))
  const { expires = '', signature = '' } = query
  const changed = [
    signer.verify(path.replace('png', 'jpg'), query),
    signer.verify(`${path}?index=1`, query),
    signer.verify(path, { ...query, expires: '1800009999' }),
    signer.verify(path, { ...query, expires: `${expires} ` }),
    signer.verify(path, { ...query, expires: [expires] }),
    signer.verify(path, { ...query, signature: signature.slice(1) }),
    signer.verify(path, { ...query, signature: '' }),
    signer.verify(path, { expires }),
    signer.verify(path, {}),
    createUrlSigner({ secrets: ['two'], clock }).verify(path, query),
  ]
  expect(new Set(changed)).toEqual(new Set(['wrong']))
})

test('a query of the path is signed with it', () => {
  const signer = createUrlSigner({ secrets: ['one'], clock })
  const url = signer.sign(`${path}?index=0`, NOW + 1_000)
  expect(url).toContain('?index=0&expires=')
  expect(signer.verify(`${path}?index=0`, queryOf(url))).toBe('valid')
  expect(signer.verify(path, queryOf(url))).toBe('wrong')
})

test('while a secret is changed, addresses of both open', () => {
  const old = createUrlSigner({ secrets: ['old'], clock })
  const both = createUrlSigner({ secrets: ['new', 'old'], clock })
  expect(both.verify(path, queryOf(old.sign(path, NOW + 1_000)))).toBe('valid')
  expect(old.verify(path, queryOf(both.sign(path, NOW + 1_000)))).toBe('wrong')
})
