/** What `npm run fuzz` reports of a request that goes wrong: the smallest that still does, and how it is sent again. */
import { expect, test } from 'vitest'
import { startStubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { fuzzOperation } from '../proof/fuzz/fuzz-operation.ts'
import type { Operation } from '../proof/fuzz/fuzz-target.ts'
import { KnownNames } from '../proof/fuzz/known-names.ts'

const text = { type: 'string', maxLength: 40 }
const properties = { question: text, limit: { type: 'integer' }, wanted: { type: 'boolean' }, more: text }

const operation: Operation = {
  ...{ id: 'ask', method: 'POST', path: '/v1/ask', parameters: [], form: null, example: undefined, isPublic: false },
  body: { type: 'object', properties, required: Object.keys(properties) },
  ...{ caller: 'key', asksUpstream: false, sendsFiles: false, canStream: false, answersType: () => false },
  ...{ checkReply: () => null, checkEvent: () => null, documents: () => true },
}

const HEADERS = { 'content-type': 'application/json', 'x-request-id': '0195c1a0-0000-7000-8000-000000000000' }

test('a request that goes wrong shrinks to what makes it go wrong, and its path sends that again', async () => {
  const failed: (readonly string[])[] = []
  const server = await startStubUpstream({
    handler({ json }, response) {
      const isFault = json !== null && 'limit' in json
      if (isFault) failed.push(Object.keys(json))
      response.writeHead(isFault ? 500 : 200, HEADERS).end(isFault ? '{"error":{"message":"no"}}' : '{}')
    },
  })
  const run = (path: string, requests: number) =>
    fuzzOperation(
      {
        ...{ target: { operations: [operation], resolve: () => ({}) }, port: Number(new URL(server.url).port) },
        ...{ rawKeys: ['sk-svc-1'], person: null, known: new KnownNames(), makeThings: () => Promise.resolve() },
        ...{ upstream: { count: () => 0, since: () => [] }, seed: 7, path, requests, connections: 4, mustReach: false },
      },
      operation,
    )

  const found = await run('0', 60)
  expect([found.requests, found.faults.length > 3]).toEqual([60, true])
  const [, path = ''] =
    /^ask --path (\d+(?::\d+)+): an error without type or code\nPOST /.exec(found.faults[0] ?? '') ?? []
  expect(path).not.toBe('')

  failed.length = 0
  const again = await run(path, 1)
  expect([again.requests, again.faults.length]).toEqual([1, 1])
  expect(failed[0]).toEqual(['limit'])
  await server.close()
})
