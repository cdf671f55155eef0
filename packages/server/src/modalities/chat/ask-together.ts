import type { ChatUpstream, UpstreamChatRequest, UpstreamCompletion } from '../../upstreams/chat-upstream.ts'
import { billOf, type UpstreamBill } from '../../upstreams/upstream-failure.ts'

/** Chats of one request that an upstream works on at once. Source: own choice. */
const AT_ONCE = 4

/** What came of several chats. */
export interface AskedChats {
  /** In the order of the requests, up to the first that has none; all of them where nothing has failed. */
  readonly answers: readonly UpstreamCompletion[]
  readonly failures: readonly Error[]
  /** What each call says of its cost, those that failed among them. */
  readonly reports: readonly UpstreamBill[]
}

/**
 * Asks an upstream for several chats, until one of them fails. The first is asked alone: what is refused is not refused
 * many times. Never rejects.
 */
export async function askTogether(
  upstream: Pick<ChatUpstream, 'complete'>,
  requests: readonly UpstreamChatRequest[],
): Promise<AskedChats> {
  const answers: UpstreamCompletion[] = []
  const failures: Error[] = []
  const reports: UpstreamBill[] = []
  const ask = async (place: number, request: UpstreamChatRequest): Promise<void> => {
    try {
      const answer = await upstream.complete(request)
      answers[place] = answer
      reports.push(answer)
    } catch (error) {
      const report = billOf(error)
      if (report !== null) reports.push(report)
      failures.push(error instanceof Error ? error : new Error('A call has failed', { cause: error }))
    }
  }
  const askAll = async (left: (readonly [number, UpstreamChatRequest])[]): Promise<void> => {
    const askNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined && failures.length === 0; next = left.shift()) await ask(...next)
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, left.length) }, askNext))
  }
  const [first, ...others] = requests.entries()
  await askAll(first === undefined ? [] : [first])
  await askAll(others)
  return { answers: answers.flat(), failures, reports }
}
