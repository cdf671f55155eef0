import { COMPLETION_TOKENS_DEFAULT, completionRequest, type CompletionRequest, PROMPTS_MAX } from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { unsupported } from '../../pipeline/refuse-fields.ts'
import type { ChatCall } from '../../modalities/chat/parse-chat.ts'
import { type FieldNames, parseTranslated, type TranslatedChat } from '../translated-chat.ts'
import { CompletionFrames } from './completion-frames.ts'
import { renderCompletion, renderCompletionEvents } from './render-completion.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a chat calls the fields of this form. */
const COMPLETION_FIELDS: FieldNames = { messages: 'prompt', top_logprobs: 'logprobs' }

const spellings = new SpellingCheck(Object.keys(completionRequest.shape))

/** Fields of a chat for which this form has no place: what they ask for would not be in the answer. */
const CHAT_ALONE = ['messages', 'tools', 'functions', 'modalities', 'audio'] as const

/** Fields that a chat does not take as they are, or that say nothing without those which it has alone. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['prompt', 'max_tokens', 'best_of', 'echo', 'logprobs', 'suffix'],
  ...[...CHAT_ALONE, 'tool_choice', 'parallel_tool_calls', 'function_call'],
])

/** Bytes of all other fields of a request with several prompts, each of which has them again. Source: own choice. */
const SHARED_BYTES_MAX = 65_536

/**
 * Looks at the prompt before the schema does: ids of tokens come by the thousand, and a client that sends them shall
 * read why they are refused.
 */
function refusePrompt({ prompt }: Fields): void {
  if (!Array.isArray(prompt)) return
  const [first] = prompt as unknown[]
  if (typeof first === 'number' || Array.isArray(first)) {
    const reason = 'ids of tokens are another text to each model. Send the prompt as text.'
    throw unsupported('prompt', reason)
  }
  if (prompt.length === 0)
    throw new ServiceError('empty_content', 'The request has no prompt. You were not charged.', { param: 'prompt' })
  if (prompt.length <= PROMPTS_MAX) return
  const message = `Invalid value for 'prompt': expected at most ${PROMPTS_MAX} items.`
  throw new ServiceError('invalid_value', message, { param: 'prompt' })
}

/** Whether a field of a chat asks for anything but text. */
function asksForMore(value: unknown): boolean {
  if (value === undefined || value === null) return false
  return !Array.isArray(value) || value.some((each) => each !== 'text')
}

/** What no upstream is asked. */
function refuseUnanswerable(request: CompletionRequest): void {
  const { echo, logprobs, best_of: bestOf, n } = request
  const alone = CHAT_ALONE.find((name) => asksForMore(request[name]))
  if (alone !== undefined) throw unsupported(alone, 'it belongs to a chat. Ask POST /v1/chat/completions.')
  if ((bestOf ?? 1) > (n ?? 1)) throw unsupported('best_of', "answers that are not returned are not made. Raise 'n'.")
  const wantsLogprobs = (logprobs ?? false) !== false
  if (echo === true && wantsLogprobs) throw unsupported('logprobs', "with 'echo' they would be those of the prompt.")
}

function logprobsOf({ logprobs }: CompletionRequest): Fields {
  if (logprobs === undefined || logprobs === null || logprobs === false) return {}
  return { logprobs: true, ...(typeof logprobs === 'number' && logprobs > 0 ? { top_logprobs: logprobs } : {}) }
}

/** The fields that all chats of a request share. */
function sharedFields(value: Fields, request: CompletionRequest): Fields {
  const others = Object.entries(value).filter(([name, each]) => !LEFT_OUT.has(name) && each !== null)
  const isLimited = (request['max_completion_tokens'] ?? null) !== null
  const maxTokens = request.max_tokens ?? (isLimited ? null : COMPLETION_TOKENS_DEFAULT)
  return {
    ...Object.fromEntries(others),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...logprobsOf(request),
    // It goes nowhere but to an upstream that fills in texts, and counts as a part of the prompt.
    ...(isGap(request) ? { suffix: request.suffix } : {}),
  }
}

/** Whether a text follows the one that is to be made. */
function isGap({ suffix }: Pick<CompletionRequest, 'suffix'>): boolean {
  return (suffix ?? '') !== ''
}

/** @param bytes of the whole request. @throws {ServiceError} 400. */
function chatOf(prompt: string, shared: Fields, bytes: number): Promise<ChatCall> {
  const body = { ...shared, messages: [{ role: 'user', content: prompt }] }
  const completes = 'suffix' in shared ? 'gap' : 'text'
  return parseTranslated(body, { names: COMPLETION_FIELDS, bytes, completes })
}

/** Chats that are answered whole, however the client wants their answers. */
async function chatsOf(
  prompts: readonly [string, ...string[]],
  { stream: _stream, stream_options: _options, ...shared }: Fields,
  bytes: number,
): Promise<readonly [ChatCall, ...ChatCall[]]> {
  if (Buffer.byteLength(JSON.stringify(shared)) > SHARED_BYTES_MAX) {
    const message = `Invalid value for 'prompt': beside other fields of more than ${SHARED_BYTES_MAX} bytes expected one.`
    throw new ServiceError('invalid_value', message, { param: 'prompt' })
  }
  const [first, ...others] = prompts
  const calls: [ChatCall, ...ChatCall[]] = [await chatOf(first, shared, bytes)]
  // One after the other, so that the turns of one are not those of all.
  for (const prompt of others) calls.push(await chatOf(prompt, shared, bytes))
  return calls
}

/**
 * Reads a request in OpenAI's older form, whose prompts are a chat each.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, or one that cannot be honoured.
 */
export async function parseCompletion(text: CountedJson): Promise<TranslatedChat> {
  const value = parseJsonObject(text)
  refusePrompt(value)
  const request = parseBySchema(completionRequest, value)
  spellings.refuse(scanBody(text).keys())
  refuseUnanswerable(request)
  const [prompt = '', ...others] = typeof request.prompt === 'string' ? [request.prompt] : request.prompt
  const shared = sharedFields(value, request)
  const call = await chatOf(prompt, shared, text.length)
  const isStream = request.stream === true
  const events = (json: string): string => renderCompletionEvents(request, json)
  const calls = others.length === 0 ? null : await chatsOf([prompt, ...others], shared, text.length)
  return {
    call,
    together: calls === null ? null : { calls, isStream, events },
    fields: COMPLETION_FIELDS,
    whole: (json) => renderCompletion(request, json),
    frames: () => new CompletionFrames(request),
  }
}
