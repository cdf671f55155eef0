/** Keys of another gateway, made valid at a whole one. */
import { beforeAll, expect, test } from 'vitest'
import { createRawKey } from '../packages/server/src/access/keys/raw-key.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { errorOf } from './error-of.ts'

const gateway = useGateway(() => ({ file: { limits: { mirrors_per_minute: 5 } } }))
let bearer: string
beforeAll(async () => {
  bearer = (await gateway.createKey({ rights: ['inference', 'deposits', 'keys'] })).rawKey
})

function mirror(body: object, options: { readonly key?: string; readonly path?: string } = {}): Promise<Response> {
  const { key = bearer, path = '/keys/mirror' } = options
  const headers = { 'content-type': 'application/json' }
  return gateway.fetch(path, { method: 'POST', key, headers, body: JSON.stringify(body) })
}

// Spec 4: the two last paths are ambiguous, so both addresses answer by one handler.
test('a mirrored key works at once, at either address, and is in no line of the log', async () => {
  const [first, second] = [createRawKey(), createRawKey()]
  expect(await (await mirror({ raw: first, name: 'laptop' })).json()).toEqual({ mirrored: true })
  const other = await mirror({ raw: second, name: 'phone' }, { path: '/api/keys/mirror' })
  expect([other.status, other.headers.get('deprecation'), await other.json()]).toEqual([
    200,
    'true',
    { mirrored: true },
  ])
  for (const key of [first, second]) expect((await gateway.fetch('/v1/balance', { key })).status).toBe(200)
  expect(gateway.logged.join('')).not.toContain(first.slice(8, 40))
  expect((await gateway.fetch('/keys/mirror')).status).toBe(405)
})

test('only a body that is no request is an error; all else is an answer', async () => {
  expect(await errorOf(await mirror({ raw: createRawKey() }))).toMatchObject({ param: 'name' })
  expect(await errorOf(await mirror({ raw: 7, name: 'x' }))).toMatchObject({ code: 'invalid_value', param: 'raw' })
  expect((await errorOf(await mirror({ raw: 'x', name: 'x' }, { key: 'sk-svc-none' }))).code).toBe('invalid_api_key')
  expect(await (await mirror({ raw: 'sk-svc-nothing', name: 'x' })).json()).toEqual({
    ...{ mirrored: false, reason: 'invalid_key' },
  })
  const plain = await mirror({ raw: createRawKey(), name: 'x' }, { key: gateway.key })
  expect([plain.status, await plain.json()]).toEqual([200, { mirrored: false, reason: 'not_permitted' }])
})

// B129
test('no more keys are mirrored in a minute than the limit says, though all come at once', async () => {
  const key = (await gateway.createKey({ rights: ['keys'] })).rawKey
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => (await mirror({ raw: createRawKey(), name: 'many' }, { key })).json()),
  )
  expect(answers.filter((answer) => JSON.stringify(answer) === '{"mirrored":true}')).toHaveLength(5)
  expect(answers).toContainEqual({ mirrored: false, reason: 'throttled', retry_after: expect.any(Number) })
})

test('keys are made, listed and revoked with a key, and secrets are in no line of the log', async () => {
  const key = (await gateway.createKey({ rights: ['inference', 'keys'] })).rawKey
  const json = { 'content-type': 'application/json' }
  const make = (body: object, by = key) =>
    gateway.fetch('/v1/keys', { method: 'POST', key: by, headers: json, body: JSON.stringify(body) })
  const made = (await (await make({ name: 'laptop' })).json()) as { readonly id: string; readonly key: string }
  expect(made).toMatchObject({ object: 'api_key', status: 'active', is_current: false, rights: ['inference'] })
  expect((await gateway.fetch('/v1/balance', { key: made.key })).status).toBe(200)
  const list = (await (await gateway.fetch('/v1/keys', { key })).json()) as { readonly data: readonly object[] }
  expect(list.data).toMatchObject([{ id: made.id, made_with: expect.any(String) as string }, { is_current: true }])
  expect(JSON.stringify(list)).not.toContain(made.key)
  expect((await errorOf(await make({ name: 'x' }, made.key))).code).toBe('key_scope_denied')
  expect(await errorOf(await make({ name: 'x', rights: ['all'] }))).toMatchObject({ code: 'invalid_value' })
  const end = (id: string) => gateway.fetch(`/v1/keys/${id}`, { method: 'DELETE', key })
  expect((await errorOf(await end('nothing'))).code).toBe('key_not_found')
  expect(await (await end(made.id)).json()).toEqual({ id: made.id, object: 'api_key.deleted', deleted: true })
  expect((await gateway.fetch('/v1/balance', { key: made.key })).status).toBe(401)
  expect(gateway.logged.join('')).not.toContain(made.key.slice(8, 40))
})
