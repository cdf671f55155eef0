/**
 * How many tokens a prompt can have at most, without a tokenizer.
 *
 * A token of a byte-level tokenizer covers at least one byte, and the JSON text of a prompt is at least as long as
 * what it says, so the bytes of the body bound its text, tools and schemas included. Media are counted by constants
 * instead of by their base64 text.
 */
import { BYTES_PER_ESTIMATED_TOKEN } from './charge-chat.ts'

/**
 * What an upstream's chat template adds by itself, beyond the role and content keys that are already counted as
 * bytes.
 */
export const TEMPLATE_TOKENS = 64

/** What an upstream adds to explain tools or a schema to its model; the highest published figure is about 800. */
export const PREAMBLE_TOKENS = 1_024

/**
 * One image. Published counting rules stay below it at their highest detail (OpenAI's patch rule 10,000 and less,
 * Anthropic below 5,000, Google's tiles below 7,000), but for gpt-4o-mini, whose inflated count of at most 48,169
 * ends in an overrun of under one US cent.
 */
export const IMAGE_TOKENS = 16_384

/**
 * Characters of a token in a text that has few of them. Source: own choice; English prose has about four and a half.
 */
const LEAST_TOKEN_CHARACTERS = 6
/** One image at least. Source: own choice, below every published rule. */
const LEAST_IMAGE_TOKENS = 64

/** One image as it is estimated when no usage was reported: a megapixel by the common rules. */
const ESTIMATED_IMAGE_TOKENS = 1_024

/**
 * Bytes of audio per token at the least. Google counts 32 tokens a second, the most of all; wav is at least 4,000
 * bytes a second (8 kHz, 4 bit), and the most frugal speech codec in use about 750 (Opus at 6 kbit/s).
 */
export const WAV_BYTES_PER_TOKEN = 100
export const AUDIO_BYTES_PER_TOKEN = 16

/** Audio as it is estimated when no usage was reported: 16 kB a second at 32 tokens a second. */
const ESTIMATED_AUDIO_BYTES_PER_TOKEN = 500

/** What a chat template puts around a message, as OpenAI publishes it for its models. */
const ESTIMATED_FRAME_TOKENS = 3

/** Replaces a context window that is not stated, when a part of unknown size has to be bounded by it. */
export const UNKNOWN_CONTEXT_TOKENS = 1_048_576

/** Beyond a precise count: tokenizers of other vendors make up to half as many tokens more of the same text. */
export const COUNT_FACTOR = 1.5

/** A chat body: parsed, and its length as UTF-8 JSON text. */
export interface PromptBody {
  readonly value: Readonly<Record<string, unknown>>
  readonly byteLength: number
}

interface Media {
  base64Bytes: number
  images: number
  audioTokens: number
  audioBytes: number
  /** A part whose size is not known from the body: a file, a video, a search. */
  unknownSize: boolean
}

/** How large a prompt is, without its words. */
export interface PromptSize extends Readonly<Pick<Media, 'images' | 'audioTokens' | 'unknownSize'>> {
  /** UTF-8 bytes of the JSON text of the body, without the base64 text of media. */
  readonly textBytes: number
  /** Whether it has tools or a response format. */
  readonly explains: boolean
}

/**
 * Upper bound of the prompt's tokens.
 *
 * @param contextLength the model's window in tokens; null when it is not stated.
 *
 * Source: decision 0005 (size of a hold).
 */
export function boundPrompt({ value, byteLength }: PromptBody, contextLength: number | null): number {
  const media = measureMedia(value)
  const textBytes = Math.max(0, byteLength - media.base64Bytes)
  return boundPromptSize({ ...media, textBytes, explains: explains(value) }, contextLength)
}

/** Upper bound of the prompt's tokens where only its size is known. Source: as `boundPrompt`. */
export function boundPromptSize(size: PromptSize, contextLength: number | null): number {
  return clampToContext(size.textBytes + mediaTokens(size) + addedTokens(size.explains), size, contextLength)
}

/** What a prompt probably has at least. */
export function leastPrompt({ characters, images }: { readonly characters: number; readonly images: number }): number {
  return Math.ceil(characters / LEAST_TOKEN_CHARACTERS) + images * LEAST_IMAGE_TOKENS
}

/**
 * The bound again, from a count of the prompt's text: for a balance that does not pay for the bytes.
 *
 * @param textTokens tokens of `promptText`, by our own counter.
 */
export function boundCountedPrompt(body: PromptBody, textTokens: number, contextLength: number | null): number {
  const media = measureMedia(body.value)
  const tokens = Math.ceil(textTokens * COUNT_FACTOR) + mediaTokens(media) + addedTokens(explains(body.value))
  return clampToContext(tokens, media, contextLength)
}

/**
 * What the prompt probably has, in tokens: the base of a charge when the upstream reported no usage. Four bytes are a
 * token.
 */
export function estimatePrompt(body: PromptBody): number {
  const media = measureMedia(body.value)
  const text = Math.ceil(Math.max(0, body.byteLength - media.base64Bytes) / BYTES_PER_ESTIMATED_TOKEN)
  const audio = Math.ceil(media.audioBytes / ESTIMATED_AUDIO_BYTES_PER_TOKEN)
  return text + media.images * ESTIMATED_IMAGE_TOKENS + audio
}

/**
 * What a prompt has beside the text that a tokenizer counts, as an estimate: what a template puts around each message,
 * images, audio.
 */
export function estimateRest(body: PromptBody): number {
  const media = measureMedia(body.value)
  const { messages } = body.value
  const framed = Array.isArray(messages) ? messages.length * ESTIMATED_FRAME_TOKENS : 0
  const audio = Math.ceil(media.audioBytes / ESTIMATED_AUDIO_BYTES_PER_TOKEN)
  return framed + media.images * ESTIMATED_IMAGE_TOKENS + audio
}

/** The text of a prompt, for a tokenizer: everything that a model reads but media. */
export function promptText(value: Readonly<Record<string, unknown>>): string {
  const { messages, tools, functions, response_format: format } = value
  const parts: string[] = []
  for (const message of Array.isArray(messages) ? messages : []) collectMessageText(message, parts)
  for (const part of [tools, functions, format]) {
    if (part !== undefined && part !== null) parts.push(JSON.stringify(part))
  }
  return parts.join('\n')
}

function clampToContext(tokens: number, media: Pick<Media, 'unknownSize'>, contextLength: number | null): number {
  if (media.unknownSize) return contextLength ?? Math.max(tokens, UNKNOWN_CONTEXT_TOKENS)
  return contextLength === null ? tokens : Math.min(tokens, contextLength)
}

function mediaTokens(media: Pick<Media, 'images' | 'audioTokens'>): number {
  return media.images * IMAGE_TOKENS + media.audioTokens
}

/** Whether an upstream explains something to its model before the prompt. */
function explains(value: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(value.tools) || Array.isArray(value.functions) || isRecord(value.response_format)
}

function addedTokens(isExplained: boolean): number {
  return TEMPLATE_TOKENS + (isExplained ? PREAMBLE_TOKENS : 0)
}

function measureMedia(value: Readonly<Record<string, unknown>>): Media {
  const media: Media = { base64Bytes: 0, images: 0, audioTokens: 0, audioBytes: 0, unknownSize: false }
  // Searches and file parsers of the upstream put text into the prompt that is not in the body.
  if (isPresent(value.plugins) || isPresent(value.web_search_options)) media.unknownSize = true
  if (!Array.isArray(value.messages)) return media
  for (const message of value.messages) {
    if (!isRecord(message)) continue
    if (Array.isArray(message.content)) for (const part of message.content) measurePart(part, media)
    if (Array.isArray(message.images)) for (const part of message.images) measurePart(part, media)
    // An earlier spoken answer, named by its id only.
    if (isRecord(message.audio)) media.unknownSize = true
  }
  return media
}

function measurePart(part: unknown, media: Media): void {
  if (!isRecord(part)) return
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'thinking':
    case 'reasoning':
      return
    case 'image_url':
      media.images++
      media.base64Bytes += dataUrlPayload(isRecord(part.image_url) ? part.image_url.url : part.image_url)
      return
    case 'input_audio':
      measureAudio(part.input_audio, media)
      return
    default:
      media.unknownSize = true
  }
}

function measureAudio(audio: unknown, media: Media): void {
  if (!isRecord(audio) || typeof audio.data !== 'string') {
    media.unknownSize = true
    return
  }
  const bytes = Math.ceil((audio.data.length * 3) / 4)
  media.base64Bytes += audio.data.length
  media.audioBytes += bytes
  media.audioTokens += Math.ceil(bytes / (audio.format === 'wav' ? WAV_BYTES_PER_TOKEN : AUDIO_BYTES_PER_TOKEN))
}

/** Length of the base64 text of a data URL; 0 for every other value. */
function dataUrlPayload(url: unknown): number {
  if (typeof url !== 'string' || !url.startsWith('data:')) return 0
  const comma = url.indexOf(',')
  return comma === -1 ? 0 : url.length - comma - 1
}

function collectMessageText(message: unknown, parts: string[]): void {
  if (!isRecord(message)) return
  const { content, images: _images, audio: _audio, ...rest } = message
  if (typeof content === 'string') parts.push(content)
  if (Array.isArray(content)) for (const part of content) collectPartText(part, parts)
  // Roles, names, tool calls and reasoning.
  parts.push(JSON.stringify(rest))
}

function collectPartText(part: unknown, parts: string[]): void {
  if (!isRecord(part)) return
  if (part.type === 'image_url' || part.type === 'input_audio') return
  parts.push(typeof part.text === 'string' ? part.text : JSON.stringify(part))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
