/** One request of one lane, from the click to the charge. Reports what has come; never throws. */
import { ApiError, type ChatChunk, type Client, endpoints, type Exact, type TeamUsageRecord } from '@svc/contract'
import { named } from '../../../api/named.ts'
import { type AnswerHead, isRefusal } from '../pay/answer-head.ts'
import type { ChatBody } from './chat-request.ts'
import type { Answer, AnswerFailure } from './conversation.ts'
import { gatherChanges } from './gather-changes.ts'

export interface RunChatDeps {
  /** Names the request. */
  readonly name: string
  readonly client: () => Promise<Client>
  /** Called with what is to be changed in the answer. */
  readonly tell: (change: (answer: Answer) => Answer) => void
  /**
   * What a request came to, where its answer did not say. The id is null where no head of an answer came. Null is
   * nothing, undefined unknown.
   */
  readonly charge: (requestId: string | null) => Promise<Exact<TeamUsageRecord> | null | undefined>
}

export function failureOf(error: unknown): AnswerFailure {
  const message = error instanceof Error ? error.message : 'That did not work.'
  return error instanceof ApiError
    ? { message, code: error.code, details: error.details }
    : { message, code: null, details: {} }
}

/** Whether a person could see something of it. */
function hasContent({ choices }: Exact<ChatChunk>): boolean {
  return choices.some(({ delta }) => Boolean(delta.content ?? delta.reasoning_content ?? delta.tool_calls?.length))
}

/** The request that was charged, where a repetition was refused because its answer is gone. */
function earlierRequest(failure: AnswerFailure | null): string | null {
  const id = failure?.details['request_id']
  return typeof id === 'string' ? id : null
}

export async function runChat(deps: RunChatDeps, body: ChatBody, signal: AbortSignal): Promise<void> {
  const gathered = gatherChanges(deps.tell)
  const sentAt = performance.now()
  let firstMs: number | null = null
  let requestId: string | null = null
  let isCharged = false
  let isRefused = false
  const onResponse = ({ status, headers }: AnswerHead): void => {
    requestId = headers.get('x-request-id')
    isRefused = isRefusal(status)
    deps.tell((answer) => ({ ...answer, requestId }))
  }
  try {
    const client = await deps.client()
    signal.throwIfAborted()
    for await (const event of client.stream(
      endpoints.createChatCompletion,
      { body },
      { ...named(deps.name), signal, onResponse },
    )) {
      isCharged ||= event.svc !== undefined
      if (hasContent(event)) firstMs ??= performance.now() - sentAt
      gathered.addChunk(event)
    }
    const totalMs = performance.now() - sentAt
    gathered.addChange((answer) => ({ ...answer, state: 'done', firstMs, totalMs }))
  } catch (error) {
    const failure = signal.aborted ? null : failureOf(error)
    requestId = earlierRequest(failure) ?? requestId
    gathered.addChange((answer) => ({ ...answer, state: failure === null ? 'stopped' : 'failed', failure }))
  } finally {
    gathered.flush()
  }
  if (isCharged) return
  const record = isRefused ? null : await deps.charge(requestId)
  deps.tell((answer) => withRecord(answer, record))
}

/** An answer whose charge was asked for. */
export function withRecord(answer: Answer, record: Exact<TeamUsageRecord> | null | undefined): Answer {
  if (record === undefined) return answer
  if (record === null) return { ...answer, charge: '0' }
  const { credits_charged: charge, estimated: isEstimated, request_id: requestId } = record
  return { ...answer, charge, isEstimated, requestId }
}
