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
