/** The adapter for OpenRouter: its costs, its generation look-up and its provider preferences. */
import type { SpeechFormat } from '../../platform/audio/speech-format.ts'
import { type JsonBody, numberText } from '../../platform/json/json-body.ts'
import type { AttoUsd, ChatUsage, LateCost } from '../../pricing/price.ts'
import { parseUsd } from '../../pricing/usd.ts'
import type { AudioDialect } from '../openai-compatible/audio-upstream.ts'
import { closeAll } from '../close-all.ts'
import { createEgress } from '../egress-guard.ts'
import { createEmbeddingUpstream } from '../openai-compatible/embeddings.ts'
import { createImages } from '../openai-compatible/images.ts'
import { addOwnKeyCost } from '../openai-compatible/cost.ts'
import { fetchJson } from '../openai-compatible/fetch-json.ts'
import { createOpenAiCompatible } from '../openai-compatible/openai-compatible.ts'
import type { ServerOptions } from '../openai-compatible/open-openai-compatible.ts'
import { createModerationUpstream } from '../openai-compatible/moderations.ts'
import { createRerankUpstream } from '../openai-compatible/rerank.ts'
import { createSpeechUpstream } from '../openai-compatible/speech.ts'
import { createTranscriptionUpstream } from '../openai-compatible/transcription.ts'
import { recordOf } from '../openai-compatible/json-records.ts'
import { tokens } from '../openai-compatible/usage.ts'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import { fileParserMember } from './file-parser.ts'
import { addMediaLists } from './media-lists.ts'
import { checkOpenRouterImages, openRouterImageBody } from './openrouter-images.ts'
import { NO_DATA_COLLECTION, type ProviderPreferences } from './provider-preferences.ts'
import { NO_PORTS, type Upstream } from '../upstream.ts'
import { openVideos } from '../openai-compatible/open-videos.ts'
import { openRouterVideoBody } from '../openai-compatible/video-body.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream-client.ts'

/** Providers that run models in confidential compute. Source: OpenRouter's list of provider slugs, August 2026. */
const CONFIDENTIAL_PROVIDERS = ['phala'] as const

/** Source: OpenRouter's API reference: the header of newer answers, and the `id` of every body. */
const GENERATION_ID = { header: 'x-generation-id', bodyForm: /^gen-[\w-]+$/ } as const

/** Members that say who may serve a request; none where nothing is to be said. */
function preferenceMembers(preferences: ProviderPreferences): ReadonlyMap<string, string> {
  return Object.keys(preferences).length === 0 ? new Map() : new Map([['provider', JSON.stringify(preferences)]])
}

/** The members of chats and embeddings, made once. */
function routingMembers(common: ProviderPreferences) {
  const plain = preferenceMembers(common)
  const confidential = preferenceMembers({ ...common, only: CONFIDENTIAL_PROVIDERS, allow_fallbacks: false })
  return (request: { readonly confidential: boolean }) => (request.confidential ? confidential : plain)
}

/** The members of chats: who may serve them, and who reads their files. */
function chatMembers(routing: ReturnType<typeof routingMembers>) {
  return (request: UpstreamChatRequest): ReadonlyMap<string, string> => {
    const members = routing(request)
    const parser = fileParserMember(request.body.value, request.readsFiles === true)
    return parser.length === 0 ? members : new Map([...members, ...parser])
  }
}

/**
 * The longest that one look-up of a cost may take, in milliseconds: the last frame waits for it. Source: own choice.
 */
const COST_MS = 2_000

/** What a generation cost, and its counts. Source: OpenRouter's API reference, "Get a generation". */
async function findCost(client: UpstreamClient, name: string, generationId: string): Promise<LateCost | null> {
  const path = `/generation?id=${encodeURIComponent(generationId)}`
  const answer = await fetchJson(client, name, { path, timeoutMs: COST_MS })
  if (answer === null) return null
  const usd = (field: string): AttoUsd | null => {
    const digits = numberText(answer.text, ['data', field])
    return digits === null ? null : parseUsd(digits)
  }
  const data = recordOf(recordOf(answer.value)['data'])
  const isOwnKey = data['is_byok'] === true
  const cost = isOwnKey ? addOwnKeyCost(usd('total_cost'), usd('upstream_inference_cost')) : usd('total_cost')
  return cost === null ? null : { cost, usage: nativeUsage(data) }
}

/** Counts of the model's own tokenizer, which its price is for; null where one of both sides is not counted. */
function nativeUsage(data: Readonly<Record<string, unknown>>): ChatUsage | null {
  const [promptTokens, completionTokens] = [
    tokens(data['native_tokens_prompt']),
    tokens(data['native_tokens_completion']),
  ]
  if (promptTokens === null || completionTokens === null) return null
  const cachedTokens = Math.min(tokens(data['native_tokens_cached']) ?? 0, promptTokens)
  const reasoningTokens = Math.min(tokens(data['native_tokens_reasoning']) ?? 0, completionTokens)
  return { promptTokens, completionTokens, cachedTokens, cacheWriteTokens: 0, reasoningTokens }
}

/** What an operator says about OpenRouter. Its dialect decides the rest. */
export type OpenRouterOptions = Omit<ServerOptions, 'maxTokensField' | 'textCompletions'> & {
  /** OpenRouter itself ignores `n`; the sandbox, which speaks its dialect, honours it. */
  readonly supportsChoices: boolean
  /** Formats of speech that it makes itself; OpenRouter's two by default. The sandbox has all. */
  readonly speechFormats?: readonly SpeechFormat[]
  /** Whether it has translations of audio; false by default, as OpenRouter has none. */
  readonly translates?: boolean
  /**
   * Whether requests go to providers alone that keep nothing of them. Absent: no. Of videos and recordings OpenRouter's
   * API takes no such wish.
   */
  readonly deniesDataCollection?: boolean
  /** Whether it answers `POST /moderations`; false by default, as OpenRouter does not. */
  readonly moderates?: boolean
  /** Whether videos that are being made can be cancelled: in the sandbox they can. Absent: no. */
  readonly cancelsVideos?: boolean
}

/** Formats of OpenRouter's speech. Source: OpenRouter's API reference, "Create speech", August 2026. */
const SPEECH_FORMATS: readonly SpeechFormat[] = ['mp3', 'pcm']

/** How a text is spoken goes to OpenAI's models among the options of their provider. */
function speechMembers(common: ProviderPreferences, { value }: JsonBody): ReadonlyMap<string, string> {
  const { instructions } = value
  return preferenceMembers(
    typeof instructions === 'string' ? { ...common, options: { openai: { instructions } } } : common,
  )
}

function audioDialect(options: OpenRouterOptions, common: ProviderPreferences): AudioDialect {
  const { speechFormats = SPEECH_FORMATS, translates = false, reportsCost, failuresAreFree } = options
  return {
    speechFormats,
    speechMembers: (body) => speechMembers(common, body),
    transcriptFormats: ['json', 'verbose_json'],
    translates,
    streamsTranscripts: false,
    ...{ reportsCost, failuresAreFree },
    generationIdHeader: GENERATION_ID.header,
  }
}

/** Opens OpenRouter as an upstream. The sandbox speaks the same dialect, so it is opened with this, too. */
export function openOpenRouter(options: OpenRouterOptions): Upstream {
  const { name, clock, reportsCost, failuresAreFree } = options
  const common = options.deniesDataCollection === true ? NO_DATA_COLLECTION : {}
  const extraMembers = routingMembers(common)
  const client = createUpstreamClient({ ...options, extraHeaders: { 'x-title': 'SVC' } })
  const egress = createEgress(options)
  const chat = createOpenAiCompatible({
    ...{ name, client, clock, learned: options.learned },
    findCost: (generationId) => findCost(client, name, generationId),
    dialect: {
      maxTokensField: null,
      reportsCost,
      supportsChoices: options.supportsChoices,
      failuresAreFree,
      generationId: GENERATION_ID,
      extraMembers: chatMembers(extraMembers),
    },
  })
  const prompts = {
    ...{ name, client, clock },
    dialect: {
      takesAnyModel: false,
      ...{ reportsCost, failuresAreFree, generationId: GENERATION_ID },
      extraMembers,
    },
  }
  const audio = { name, client, clock, dialect: audioDialect(options, common) }
  const images = createImages({
    ...{ name, client, egress, clock },
    firstByteMs: options.timeouts.firstByteMs,
    dialect: { reportsCost, failuresAreFree, generationIdHeader: GENERATION_ID.header },
    buildBody: openRouterImageBody(common),
    check: checkOpenRouterImages,
  })
  const videos = openVideos(options, client, {
    reportsCost,
    cancels: options.cancelsVideos === true,
    writeBody: openRouterVideoBody,
  })
  return {
    ...chat,
    ...NO_PORTS,
    embeddings: createEmbeddingUpstream({ ...prompts, learned: options.learned }),
    rerank: createRerankUpstream(prompts),
    moderation: options.moderates === true ? createModerationUpstream(prompts) : null,
    images,
    videos: videos.port,
    speech: createSpeechUpstream(audio),
    transcription: createTranscriptionUpstream(audio),
    completeList: (list) => addMediaLists(list, { client, name }),
    close: () => closeAll([egress, { close: () => videos.closeWith(chat) }]),
  }
}
