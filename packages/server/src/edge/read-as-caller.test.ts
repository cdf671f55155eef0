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
async function askedAfter(ms: number, freshness: 'cached' | 'fresh', isRefused = false) {
  const authenticate = vi.fn<(authorization: string, freshness: string) => Caller>(() => {
    if (isRefused) throw invalidApiKey()
    return caller
  })
  const failedAuth = { allows: () => true, take: () => undefined }
  let elapsed = 0
  const deps = {
    authenticator: { authenticate, isKnown: () => true },
    clock: { elapsed: () => elapsed },
    limits: { failedAuth },
  } as unknown as RouteKit
  const drop = vi.fn<(body: string) => void>()
  const read = (): Promise<string> => {
    elapsed += ms
    return Promise.resolve('body')
  }
  const done = readAsCaller(deps, call, { endpoint, freshness }, { read, drop })
  return { done, asked: authenticate.mock.calls, drop }
}

test.each([
  [0, 'cached', 'cached'],
  [900, 'cached', 'cached'],
  [1_100, 'cached', 'fresh'],
  [0, 'fresh', 'fresh'],
] as const)('after %d ms a key that was asked for %s is asked for %s', async (ms, before, after) => {
  const { done, asked, drop } = await askedAfter(ms, before)
  expect(await done).toEqual({ caller, body: 'body' })
  expect(asked).toEqual([['Bearer x', after]])
  expect(drop).not.toHaveBeenCalled()
})

test('the body of a key that ended is dropped', async () => {
  const { done, drop } = await askedAfter(0, 'cached', true)
  await expect(done).rejects.toMatchObject({ status: 401 })
  expect(drop).toHaveBeenCalledWith('body')
})
