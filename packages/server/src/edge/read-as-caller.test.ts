import { endpoints } from '@svc/contract'
import { expect, test, vi } from 'vitest'
import type { Caller } from '../access/keys/caller.ts'
import { invalidApiKey } from '../access/keys/invalid-api-key.ts'
import { readAsCaller } from './read-as-caller.ts'
import type { RouteCall } from './route.ts'
import type { RouteKit } from './route-kit.ts'

const caller = { keyId: 'one', rights: new Set(['inference']) } as unknown as Caller
const call = { request: { ip: '127.0.0.1', headers: { authorization: 'Bearer x' } } } as unknown as RouteCall
const endpoint = endpoints.createChatCompletion

/** Asks for a body that takes so long, and returns how the key was asked for then. */
async function askedAfter(
  ms: number,
  known: Caller | null,
  { isCurrent = false, isRefused = false }: { readonly isCurrent?: boolean; readonly isRefused?: boolean } = {},
) {
  const authenticate = vi.fn<(authorization: string, freshness: string) => Caller>(() => {
    if (isRefused) throw invalidApiKey()
    return caller
  })
  const failedAuth = { allows: () => true, take: () => undefined }
  let elapsed = 0
  const deps = {
    authenticator: { authenticate, isKnown: () => true, isCurrent: () => isCurrent },
    clock: { elapsed: () => elapsed },
    limits: { failedAuth },
  } as unknown as RouteKit
  const drop = vi.fn<(body: string) => void>()
  const read = (): Promise<string> => {
    elapsed += ms
    return Promise.resolve('body')
  }
  const done = readAsCaller(deps, call, { endpoint, known }, { read, drop })
  return { done, asked: authenticate.mock.calls, drop }
}

test.each([
  [0, true, ['cached']],
  [900, true, ['cached']],
  [1_100, true, ['fresh']],
  [0, false, ['fresh']],
] as const)('after %d ms a key, known before: %s, is looked up %s', async (ms, isKnown, expected) => {
  const { done, asked, drop } = await askedAfter(ms, isKnown ? caller : null)
  expect(await done).toEqual({ caller, body: 'body' })
  expect(asked).toEqual(expected.map((freshness) => ['Bearer x', freshness]))
  expect(drop).not.toHaveBeenCalled()
})

test.each([
  [900, []],
  [1_100, ['fresh']],
] as const)('after %d ms a caller whom the cache still knows is looked up %s', async (ms, expected) => {
  const { done, asked } = await askedAfter(ms, caller, { isCurrent: true })
  expect(await done).toEqual({ caller, body: 'body' })
  expect(asked).toEqual(expected.map((freshness) => ['Bearer x', freshness]))
})

test('the body of a key that ended is dropped', async () => {
  const { done, drop } = await askedAfter(0, caller, { isRefused: true })
  await expect(done).rejects.toMatchObject({ status: 401 })
  expect(drop).toHaveBeenCalledWith('body')
})
