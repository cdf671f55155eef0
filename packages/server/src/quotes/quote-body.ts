/** From an endpoint and the body that would be sent to it to what takes its quote. */
import { quotedAudio, type PaidPath, videoRequest } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { parseCompletion } from '../forms/completions/parse-completion.ts'
import { parseMessage } from '../forms/messages/parse-message.ts'
import { readResponse, type ReadResponseDeps } from '../forms/responses/read-response.ts'
import { renameParam, type TranslatedChat } from '../forms/translated-chat.ts'
import { chooseModel } from '../modalities/chat/choose-model.ts'
import { parseChat } from '../modalities/chat/parse-chat.ts'
import { parseEmbeddings } from '../modalities/embeddings/parse-embeddings.ts'
import type { ImageDeps } from '../modalities/images/image-work.ts'
import { parseImageEdit, parseImageRequest } from '../modalities/images/parse-images.ts'
import { parseModeration } from '../modalities/moderations/parse-moderation.ts'
import { parseRerank } from '../modalities/rerank/parse-rerank.ts'
import { parseSpeech } from '../modalities/speech/parse-speech.ts'
import { parseTranscriptionFields, type TranscriptionCall } from '../modalities/transcription/parse-transcription.ts'
import { refuseVideoFields } from '../modalities/videos/read-video-request.ts'
import { type CountedJson, parseJsonObject } from '../pipeline/json-call.ts'
import type { PaidTask } from '../pipeline/paid-work.ts'
import { parseBySchema } from '../platform/errors/parse-by-schema.ts'
import { quoteChats } from './quote-chat.ts'
import { quoteImages, quoteSpeech, quoteTranscription, quoteVideo } from './quote-media.ts'
import { quoteEmbeddings, quoteModeration, quoteRanking } from './quote-prompts.ts'
import type { TakeQuote } from './quoted-work.ts'

/** What quotes are taken with: what the requests themselves are worked on with. */
export interface QuoteDeps extends ReadResponseDeps {
  readonly images: ImageDeps
}

/** Who asks for a quote, and for what. */
export interface QuotedRequest {
  readonly caller: Caller
  readonly requestId: string
  readonly body: CountedJson
}

type QuoteBody = (deps: QuoteDeps, request: QuotedRequest) => TakeQuote | Promise<TakeQuote>

function taskOf<Call>({ caller, requestId }: QuotedRequest, call: Call): PaidTask<Call> {
  return { caller, call, requestId, terms: null }
}

function quoteTranslated({ chat: deps }: QuoteDeps, request: QuotedRequest, translated: TranslatedChat): TakeQuote {
  const { call, together = null, fields } = translated
  const take = quoteChats(deps, taskOf(request, null), together?.calls ?? [call])
  return (targets) =>
    take(targets).catch((error: unknown) => {
      throw renameParam(error, fields)
    })
}

const quoteImageRequest: QuoteBody = ({ images }, request) =>
  quoteImages(images, taskOf(request, parseImageRequest(request.body, 'openai')))

/** The form of an audio file has no place in JSON: its fields are given as they are, and the file by its length. */
const quoteAudio =
  (task: TranscriptionCall['task']): QuoteBody =>
  ({ chat }, request) => {
    const { seconds, ...fields } = parseBySchema(quotedAudio, parseJsonObject(request.body))
    const form = Object.entries(fields).map(([name, value]) => ({ name, value: String(value) }))
    return quoteTranscription(chat, taskOf(request, { ...parseTranscriptionFields(form, task), seconds }))
  }

const quoteVideoRequest: QuoteBody = ({ chat }, request) => {
  const value = parseJsonObject(request.body)
  refuseVideoFields(value)
  return quoteVideo(chat, taskOf(request, { request: parseBySchema(videoRequest, value), file: null }))
}

const quoteRerank: QuoteBody = ({ chat }, request) => quoteRanking(chat, taskOf(request, parseRerank(request.body)))

const bodies: Readonly<Record<PaidPath, QuoteBody>> = {
  '/v1/chat/completions': ({ chat }, request) =>
    quoteChats(chat, taskOf(request, null), [chooseModel(chat, request.caller, parseChat(request.body))]),
  '/v1/completions': async (deps, request) => quoteTranslated(deps, request, await parseCompletion(request.body)),
  '/v1/messages': async (deps, request) =>
    quoteTranslated(deps, request, await parseMessage(request.body, request.caller)),
  '/v1/responses': async (deps, request) =>
    quoteTranslated(deps, request, await readResponse(deps, request.body, request.caller)),
  '/v1/embeddings': ({ chat }, request) => quoteEmbeddings(chat, taskOf(request, parseEmbeddings(request.body))),
  '/v1/rerank': quoteRerank,
  '/v2/rerank': quoteRerank,
  '/v1/moderations': ({ chat }, request) => quoteModeration(chat, taskOf(request, parseModeration(request.body))),
  '/v1/images': quoteImageRequest,
  '/v1/images/generations': quoteImageRequest,
  '/v1/images/edits': ({ images }, request) => quoteImages(images, taskOf(request, parseImageEdit(request.body))),
  '/v1/audio/speech': ({ chat }, request) => quoteSpeech(chat, taskOf(request, parseSpeech(request.body))),
  '/v1/audio/transcriptions': quoteAudio('transcribe'),
  '/v1/audio/translations': quoteAudio('translate'),
  '/v1/videos': quoteVideoRequest,
  '/v1/videos/generations': quoteVideoRequest,
}

/**
 * Reads the body of a request as its endpoint does, and says how its quote is taken.
 *
 * @throws {ServiceError} as the endpoint does, for what it would refuse.
 */
export function quoteBody(deps: QuoteDeps, path: PaidPath, request: QuotedRequest): TakeQuote | Promise<TakeQuote> {
  return bodies[path](deps, request)
}
