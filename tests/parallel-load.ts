/** Many requests at once against few credits, with a watch on the balance while they are decided. */
import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { sendCompletion, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { ask, type ChatTarget } from './open-stream.ts'
import type { FundedCaller } from './funded-caller.ts'

export interface LoadResult {
  /** How many requests ended with each status. */
  readonly statuses: Readonly<Record<number, number>>
  /** The charges that clients saw, in nanocredits. */
  readonly charged: bigint
  /** How many requests reached the upstream. */
  readonly reached: number
}

/** Reads the balance again and again until told to stop; fails when less than nothing was ever available. */
export function watchBalance(funded: Pick<FundedCaller, 'balance'>): () => Promise<void> {
  let isOver = false
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const { posted, held } = await funded.balance()
      expect([posted >= 0n, held >= 0n, posted - held >= 0n], `${posted} posted, ${held} held`).toEqual([
        true,
        true,
        true,
      ])
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const watched = watch()
  // A failure is reported when the watch is stopped.
  watched.catch(() => undefined)
  return () => {
    isOver = true
    return watched
  }
}

/**
 * Sends all requests at once. The upstream keeps its answers back until every other request is decided, so that
 * whatever holds the balance can pay at a time is asked of it at that time.
 */
export async function sendTogether(
  funded: Pick<FundedCaller, 'balance'>,
  stub: StubUpstream,
  requests: readonly { readonly target: ChatTarget; readonly body: object; readonly key?: string }[],
): Promise<LoadResult> {
  const before = stub.chats.length
  const waiting: ServerResponse[] = []
  stub.onChat = (_call, response) => void waiting.push(response)
  const stopWatching = watchBalance(funded)
  let decided = 0
  const answers = requests.map(async ({ target, body, key }) => {
    const answer = await ask(target, body, key === undefined ? {} : { key })
    decided++
    return answer
  })
  await expect.poll(() => decided + waiting.length, { timeout: 25_000, interval: 20 }).toBe(requests.length)
  for (const response of waiting) sendCompletion(response)
  const all = await Promise.all(answers)
  await stopWatching()
  const statuses: Record<number, number> = {}
  for (const { status } of all) statuses[status] = (statuses[status] ?? 0) + 1
  const charged = all.reduce((sum, { charge }) => sum + charge, 0n)
  return { statuses, charged, reached: stub.chats.length - before }
}
