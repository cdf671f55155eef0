/** Makes the request of a line as its endpoint would, and answers with the body that it would have. */
import type { Caller } from '../access/keys/caller.ts'
import type { KeptItems } from '../admission/idempotency/kept-items.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { formatCredits } from '@svc/contract'
import { parseMessage } from '../forms/messages/parse-message.ts'
import { parseResponse } from '../forms/responses/parse-response.ts'
import { parseCompletion } from '../forms/completions/parse-completion.ts'
import { renameParam, type TranslatedChat } from '../forms/translated-chat.ts'
import { chooseModel } from '../modalities/chat/choose-model.ts'
import { completeChats } from '../modalities/chat/complete-chats.ts'
import { completeChat } from '../modalities/chat/complete-chat.ts'
import type { ChatDeps } from '../modalities/chat/chat-work.ts'
import { parseChat } from '../modalities/chat/parse-chat.ts'
import { embedTexts } from '../modalities/embeddings/embed-texts.ts'
import { moderateInputs } from '../modalities/moderations/moderate-inputs.ts'
import { parseModeration } from '../modalities/moderations/parse-moderation.ts'
import { parseRerank } from '../modalities/rerank/parse-rerank.ts'
import { rankDocuments } from '../modalities/rerank/rank-documents.ts'
import { parseEmbeddings } from '../modalities/embeddings/parse-embeddings.ts'
import type { CountedJson } from '../pipeline/json-call.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { PaidTask, WholeAnswer } from '../pipeline/paid-work.ts'
import type { Terms } from '../pipeline/terms.ts'
import { type LineEndpoint, MESSAGES_PATH } from './batch.ts'
import type { LineFacts } from './log-line.ts'

/** What the work of lines is given. */
export interface AnswerLineDeps {
  /** What is charged by its tokens is given what a chat is given. */
  readonly chat: ChatDeps
  readonly keptItems: Pick<KeptItems, 'find'>
}

/** The request of a line. */
export interface LineRequest {
  readonly caller: Caller
  readonly requestId: string
  readonly body: CountedJson
  readonly terms: Terms | null
  readonly cardPercent: number
  readonly clock: Clock
  /** Writes the body of the answer down before it is charged. The request is free where it throws. */
  readonly keep: (body: string) => Promise<void>
  /** For its line of the log. */
  readonly facts: LineFacts
}

type AnswerLine = (deps: AnswerLineDeps, request: LineRequest) => Promise<string>

function refuseStream({ stream }: { readonly stream?: unknown }): void {
  if (stream !== true) return
  const message = "Unsupported parameter: 'stream' has no place in a batch."
  throw new ServiceError('unsupported_parameter', message, { param: 'stream' })
}

function taskOf<Call>({ caller, requestId, terms, cardPercent, keep }: LineRequest, call: Call): PaidTask<Call> {
  return { caller, call, requestId, terms, cardPercent, keep: ({ body }) => keep(body) }
}

const answerChat: AnswerLine = async ({ chat }, request) => {
  const parsed = parseChat(request.body)
  refuseStream(parsed.request)
  const call = chooseModel(chat, request.caller, parsed)
  return bodyOf(request, call.request, completeChat(chat, taskOf(request, call)))
}

const answerEmbeddings: AnswerLine = ({ chat }, request) => {
  const call = parseEmbeddings(request.body)
  return bodyOf(request, call.request, embedTexts(chat, taskOf(request, call)))
}

const answerModeration: AnswerLine = ({ chat }, request) => {
  const call = parseModeration(request.body)
  return bodyOf(request, call, moderateInputs(chat, taskOf(request, call)))
}

const answerRerank: AnswerLine = ({ chat }, request) => {
  const call = parseRerank(request.body)
  return bodyOf(request, call.request, rankDocuments(chat, taskOf(request, call)))
}

/** The body of an answer, once the line of the log knows what was asked for and what it cost. */
async function bodyOf(
  { facts }: LineRequest,
  { model }: { readonly model: string },
  answering: Promise<WholeAnswer>,
): Promise<string> {
  facts.model = model
  const { body, charged } = await answering
  facts.creditsCharged = formatCredits(charged.charge)
  return body
}

/** Answers a chat in another form. Items of the answer are not kept for a next turn: a batch has none. */
async function answerTranslated({ chat }: AnswerLineDeps, request: LineRequest, translated: TranslatedChat) {
  const { requestId, clock, keep } = request
  const { call, together = null, fields } = translated
  refuseStream({ stream: call.request.stream === true || together?.isStream === true })
  const head = { requestId, now: clock.now(), clock, seed: requestId.replaceAll('-', '') }
  const written = { ...request, keep: (json: string) => keep(translated.whole(json, head)) }
  try {
    const answering =
      together === null
        ? completeChat(chat, taskOf(written, call))
        : completeChats(chat, taskOf(written, together.calls))
    return translated.whole(await bodyOf(request, call.request, answering), head)
  } catch (error) {
    throw renameParam(error, fields)
  }
}

/** Answers of a batch are in its files, and not stored beside them. */
const answerResponse: AnswerLine = async (deps, request) => {
  const parsed = parseResponse(request.body, { storesResponses: false })
  const outputs = await deps.keptItems.find(request.caller.keyId, parsed.seeds)
  return answerTranslated(deps, request, await parsed.translate({ outputs, turns: [] }))
}

const answerCompletion: AnswerLine = async (deps, request) =>
  answerTranslated(deps, request, await parseCompletion(request.body))

const answerMessage: AnswerLine = async (deps, request) =>
  answerTranslated(deps, request, await parseMessage(request.body, request.caller))

const answers: Readonly<Record<LineEndpoint, AnswerLine>> = {
  '/v1/chat/completions': answerChat,
  '/v1/completions': answerCompletion,
  '/v1/embeddings': answerEmbeddings,
  '/v1/moderations': answerModeration,
  '/v1/rerank': answerRerank,
  '/v1/responses': answerResponse,
  [MESSAGES_PATH]: answerMessage,
}

/**
 * Makes the request of a line.
 *
 * @returns the body of its answer, which is charged by then.
 * @throws {ServiceError} as the endpoint does; the request is then free.
 */
export function answerLine(deps: AnswerLineDeps, endpoint: LineEndpoint, request: LineRequest): Promise<string> {
  return answers[endpoint](deps, request)
}
