/** One request of one lane, from the click to the charge. Tells what has come; never throws. */
import { ApiError, type ChatChunk, type Client, endpoints, type Exact, type TeamUsageRecord } from '@svc/contract'
import { type AnswerHead, isRefusal } from '../pay/answer-head.ts'
import type { ChatBody } from './chat-request.ts'
import type { Answer, AnswerFailure } from './conversation.ts'

/** Changes of an answer are told at most this often while it comes. */
const FLUSH_MS = 50

export interface RunChatDeps {
  readonly client: () => Promise<Client>
  /** Called with what is to be changed in the answer. */
  readonly tell: (change: (answer: Answer) => Answer) => void
  /**
   * What a request came to, where its answer did not say. The id is null where no head of an answer came. Null is
   * nothing, undefined unknown.
   */
  readonly charge: (requestId: string | null) => Promise<Exact<TeamUsageRecord> | null | undefined>
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function imagesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((image: unknown) => {
    const address: unknown = Reflect.get(Object(Reflect.get(Object(image), 'image_url')), 'url')
    return typeof address === 'string' && address.startsWith('data:image/') ? [address] : []
  })
}

function toolsOf(calls: Exact<ChatChunk>['choices'][number]['delta']['tool_calls']): string {
  return (calls ?? [])
    .map(({ function: call }) => `${call?.name === undefined ? '' : `\n\n${call.name}: `}${call?.arguments ?? ''}`)
    .join('')
}

/** An answer with one more event. */
export function withChunk(answer: Answer, { choices, svc }: Exact<ChatChunk>): Answer {
  const [choice] = choices
  const delta = choice?.delta
  const told =
    svc === undefined
      ? {}
      : { charge: svc.credits_charged, isEstimated: svc.estimated === true, limit: svc.max_tokens_applied ?? null }
  return {
    ...answer,
    ...told,
    text: answer.text + textOf(delta?.content) + textOf(delta?.refusal) + toolsOf(delta?.tool_calls),
    reasoning: answer.reasoning + textOf(delta?.reasoning_content),
    images: [...answer.images, ...imagesOf(delta?.['images'])],
    finish: choice?.finish_reason ?? answer.finish,
  }
}

export function failureOf(error: unknown): AnswerFailure {
  const message = error instanceof Error ? error.message : 'That did not work.'
  return error instanceof ApiError
    ? { message, code: error.code, details: error.details }
    : { message, code: null, details: {} }
}

/** The request that was charged, where a repetition was told that its answer is gone. */
function earlierRequest(failure: AnswerFailure | null): string | null {
  const id = failure?.details['request_id']
  return typeof id === 'string' ? id : null
}

/** Gathers what comes within a moment into one change. */
function gather(tell: RunChatDeps['tell']) {
  let changes: ((answer: Answer) => Answer)[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const gathered = changes
    changes = []
    if (gathered.length > 0) tell((answer) => gathered.reduce((before, change) => change(before), answer))
  }
  return {
    add(change: (answer: Answer) => Answer): void {
      changes.push(change)
      timer ??= setTimeout(flush, FLUSH_MS)
    },
    flush,
  }
}

export async function runChat(deps: RunChatDeps, body: ChatBody, signal: AbortSignal): Promise<void> {
  const gathered = gather(deps.tell)
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
    for await (const event of client.stream(endpoints.createChatCompletion, { body }, { signal, onResponse })) {
      isCharged ||= event.svc !== undefined
      gathered.add((answer) => withChunk(answer, event))
    }
    gathered.add((answer) => ({ ...answer, state: 'done' }))
  } catch (error) {
    const failure = signal.aborted ? null : failureOf(error)
    requestId = earlierRequest(failure) ?? requestId
    gathered.add((answer) => ({ ...answer, state: failure === null ? 'stopped' : 'failed', failure }))
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
