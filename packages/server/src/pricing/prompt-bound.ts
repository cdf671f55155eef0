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

/** Tokens of a second of audio at the most. Source: Google's API reference, "Audio understanding"; others count fewer. */
export const AUDIO_TOKENS_PER_SECOND = 32

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
  readonly media: Readonly<Media>
  /** The most tokens of its audio, as long as it is heard. Absent: it has none, or nothing says how long it is. */
  readonly audioTokens?: number
}

interface Media {
  base64Bytes: number
  images: number
  /** Base64 text of each audio, as it was sent. */
  readonly audios: string[]
  /** A part whose size is not known from the body: a file, a video, a search. */
  unknownSize: boolean
}

/** Looks at the media of a body, once for all bounds and estimates. */
export function promptBody(value: PromptBody['value'], byteLength: number): PromptBody {
  return { value, byteLength, media: measureMedia(value) }
}

/** How large a prompt is, without its words. */
export interface PromptSize extends Readonly<Pick<Media, 'images' | 'unknownSize'>> {
  readonly audioTokens: number
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
export function boundPrompt(body: PromptBody, contextLength: number | null): number {
  const size = sizeOf(body)
  const textBytes = Math.max(0, body.byteLength - size.base64Bytes)
  return boundPromptSize({ ...size, textBytes, explains: explains(body.value) }, contextLength)
}

/** What the body has beside its text; audio of which nothing says how long it is may fill the window. */
function sizeOf({ media, audioTokens }: PromptBody): Readonly<Media> & { readonly audioTokens: number } {
  const unknownSize = media.unknownSize || (media.audios.length > 0 && audioTokens === undefined)
  return { ...media, audioTokens: audioTokens ?? 0, unknownSize }
}

/** Upper bound of the prompt's tokens where only its size is known. Source: as `boundPrompt`. */
export function boundPromptSize(size: PromptSize, contextLength: number | null): number {
  return clampToContext(size.textBytes + mediaTokens(size) + addedTokens(size.explains), size, contextLength)
}

/** What a prompt usually has, of which only the size is known. Source: as where no usage was reported, docs/money.md. */
export function likelyPrompt({ bytes, images }: { readonly bytes: number; readonly images: number }): number {
  return Math.ceil(bytes / BYTES_PER_ESTIMATED_TOKEN) + images * ESTIMATED_IMAGE_TOKENS
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
  const size = sizeOf(body)
  const tokens = Math.ceil(textTokens * COUNT_FACTOR) + mediaTokens(size) + addedTokens(explains(body.value))
  return clampToContext(tokens, size, contextLength)
}

/**
 * What the prompt probably has, in tokens: the base of a charge when the upstream reported no usage. Four bytes are a
 * token.
 */
export function estimatePrompt(body: PromptBody): number {
  const { media, byteLength } = body
  const text = Math.ceil(Math.max(0, byteLength - media.base64Bytes) / BYTES_PER_ESTIMATED_TOKEN)
  return text + media.images * ESTIMATED_IMAGE_TOKENS + estimateAudio(media)
}

/**
 * What a prompt has beside the text that a tokenizer counts, as an estimate: what a template puts around each message,
 * images, audio.
 */
export function estimateRest(body: PromptBody): number {
  const { media } = body
  const { messages } = body.value
  const framed = Array.isArray(messages) ? messages.length * ESTIMATED_FRAME_TOKENS : 0
  return framed + media.images * ESTIMATED_IMAGE_TOKENS + estimateAudio(media)
}

function estimateAudio({ audios }: Media): number {
  const bytes = audios.reduce((sum, text) => sum + Math.ceil((text.length * 3) / 4), 0)
  return Math.ceil(bytes / ESTIMATED_AUDIO_BYTES_PER_TOKEN)
}

/** Members of a request that no model reads, and those that are read apart. Whatever else there is may be in a prompt. */
const NO_TEXT: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'metadata', 'user', 'stop', 'stream_options', 'logit_bias'],
])

/**
 * The text of a prompt, for a tokenizer: everything that a model may read but media. Servers put more than messages and
 * tools into it, such as `documents` and `chat_template_kwargs`.
 */
export function promptText(value: Readonly<Record<string, unknown>>): string {
  const { messages } = value
  const parts: string[] = []
  for (const message of Array.isArray(messages) ? messages : []) collectMessageText(message, parts)
  for (const [name, member] of Object.entries(value)) {
    const isText = typeof member === 'string' || (typeof member === 'object' && member !== null)
    if (isText && !NO_TEXT.has(name)) parts.push(JSON.stringify(member))
  }
  return parts.join('\n')
}

function clampToContext(tokens: number, media: Pick<Media, 'unknownSize'>, contextLength: number | null): number {
  if (media.unknownSize) return contextLength ?? Math.max(tokens, UNKNOWN_CONTEXT_TOKENS)
  return contextLength === null ? tokens : Math.min(tokens, contextLength)
}

function mediaTokens(media: Pick<PromptSize, 'images' | 'audioTokens'>): number {
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
  const media: Media = { base64Bytes: 0, images: 0, audios: [], unknownSize: false }
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
      measureImage(isRecord(part.image_url) ? part.image_url.url : part.image_url, media)
      return
    case 'input_audio':
      measureAudio(part.input_audio, media)
      return
    default:
      media.unknownSize = true
  }
}

/** Longest type and options of a data URL that is looked at, in UTF-16 units. Source: own choice. */
const DATA_HEAD_MAX = 512

/** Models take films, documents and texts for what they are, wherever they are given. */
function measureImage(url: unknown, media: Media): void {
  const head = typeof url === 'string' && /^data:/i.test(url) ? url.slice(0, DATA_HEAD_MAX) : null
  if (head === null || /^data:image\//i.test(head)) media.images++
  else media.unknownSize = true
  const comma = head?.indexOf(',') ?? -1
  if (comma !== -1) media.base64Bytes += String(url).length - comma - 1
}

function measureAudio(audio: unknown, media: Media): void {
  if (!isRecord(audio) || typeof audio.data !== 'string') {
    media.unknownSize = true
    return
  }
  media.base64Bytes += audio.data.length
  media.audios.push(audio.data)
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
