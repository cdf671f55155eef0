import type { FindProxy } from '../../platform/outbound/open-dispatcher.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Upstream } from '../upstream.ts'
import { createUpstreamClient, type OnAnswer, type UpstreamTimeouts } from '../upstream-client.ts'
import { type AudioDialect, refuseConfidential } from './audio-upstream.ts'
import { closeAll } from '../close-all.ts'
import { createEgress } from '../egress-guard.ts'
import { buildOpenAiImageBody, checkOpenAiImages } from './image-body.ts'
import { createEmbeddingUpstream } from './embeddings.ts'
import { createImages } from './images.ts'
import { createOpenAiCompatible } from './openai-compatible.ts'
import { createModerationUpstream } from './moderations.ts'
import { createRerankUpstream } from './rerank.ts'
import { createSpeechUpstream } from './speech.ts'
import { createTranscriptionUpstream } from './transcription.ts'
import { speechFormats } from '../../platform/audio/speech-format.ts'
import type { TextCompletions } from './dialect.ts'
import type { LearnedParts } from './learned-parts.ts'
import { openVideos } from './open-videos.ts'
import { openAiVideoBody } from './video-body.ts'

const NO_MEMBERS: ReadonlyMap<string, string> = new Map()

/** What an operator says about a server that speaks OpenAI's chat completions. */
export interface ServerOptions {
  readonly name: string
  /** Base URL, such as `http://localhost:11434/v1`. */
  readonly url: string
  readonly apiKey: string | null
  readonly timeouts: UpstreamTimeouts
  readonly allowH2: boolean
  /** As in the dialect. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | null
  /** As in the dialect. */
  readonly textCompletions: TextCompletions | null
  /** Whether it is known to report what each answer costs. */
  readonly reportsCost: boolean
  /** As in the dialect. */
  readonly failuresAreFree: boolean
  readonly clock: Clock
  readonly findProxy: FindProxy
  /** Hears the headers of every answer. */
  readonly onAnswer?: OnAnswer | undefined
  /** What is known of it already, by its other keys; absent: nothing. */
  readonly learned?: LearnedParts | undefined
}

/** OpenAI's own API, which servers that imitate it follow in parts: what they lack, they refuse themselves. */
function audioDialect({ reportsCost, failuresAreFree }: ServerOptions): AudioDialect {
  return {
    speechFormats,
    speechMembers: () => NO_MEMBERS,
    transcriptFormats: ['json', 'verbose_json', 'diarized_json'],
    translates: true,
    streamsTranscripts: true,
    ...{ reportsCost, failuresAreFree },
    generationIdHeader: null,
  }
}

/** @throws {ServiceError} for a request that demands confidential compute. */
function extraMembers(request: { readonly confidential: boolean }): ReadonlyMap<string, string> {
  refuseConfidential(request)
  return NO_MEMBERS
}

/**
 * Opens an upstream that is any OpenAI-compatible server. It cannot promise confidential compute, so it refuses such
 * requests.
 */
export function openOpenAiCompatible(options: ServerOptions): Upstream {
  const { name, clock, reportsCost, failuresAreFree } = options
  const client = createUpstreamClient({ ...options, extraHeaders: {} })
  const egress = createEgress(options)
  const audio = { name, client, clock, dialect: audioDialect(options) }
  const chat = createOpenAiCompatible({
    ...{ name, client, clock, learned: options.learned },
    findCost: null,
    dialect: {
      maxTokensField: options.maxTokensField,
      textCompletions: options.textCompletions,
      reportsCost,
      supportsChoices: true,
      failuresAreFree,
      generationId: null,
      extraMembers,
    },
  })
  const images = createImages({
    ...{ name, client, egress, clock },
    firstByteMs: options.timeouts.firstByteMs,
    dialect: { reportsCost, failuresAreFree, generationIdHeader: null },
    buildBody: buildOpenAiImageBody,
    check: checkOpenAiImages,
  })
  const videos = openVideos(options, client, { reportsCost, cancels: true, writeBody: openAiVideoBody })
  const prompts = {
    ...{ name, client, clock },
    dialect: {
      takesAnyModel: true,
      ...{ reportsCost, failuresAreFree, generationId: null },
      extraMembers,
    },
  }
  return {
    ...chat,
    embeddings: createEmbeddingUpstream({ ...prompts, learned: options.learned }),
    rerank: createRerankUpstream(prompts),
    moderation: createModerationUpstream(prompts),
    images,
    videos: videos.port,
    speech: createSpeechUpstream(audio),
    transcription: createTranscriptionUpstream(audio),
    completeList: (list) => Promise.resolve(list),
    close: () => closeAll([egress, { close: () => videos.closeWith(chat) }]),
  }
}
