/** Upstreams in every dialect, and what is asked of each: the rest of the configuration of a fuzz run. */
import type { RigOptions } from '../rig/gateway-rig.ts'

const price = { input: '1', output: '4', cached_input: '0.1', cache_write: '2' } as const
const embedding = { price: { input: '0.1', output: '0' } } as const

/** Where each dialect is below the upstream's origin. */
export function upstreamsAt(origin: string): NonNullable<RigOptions['more']> {
  return {
    upstreams: [
      { name: 'openai', kind: 'openai-compatible', url: `${origin}/openai/v1` },
      {
        name: 'texts',
        kind: 'openai-compatible',
        url: `${origin}/texts/v1`,
        text_completions: { path: '/fim/completions' },
      },
      { name: 'anthropic', kind: 'anthropic', url: `${origin}/anthropic/v1` },
      { name: 'gemini', kind: 'gemini', url: `${origin}/gemini/v1beta` },
    ],
    routes: {
      'svc-claude': { upstream: 'anthropic', model: 'claude-sonnet-4-5', price },
      'svc-gemini': { upstream: 'gemini', model: 'gemini-2.5-pro', price },
      'svc-mistral': { upstream: 'openai', model: 'gpt-5', price },
      'svc-qwen': {
        targets: [
          { upstream: 'openai', model: 'qwen', price },
          { upstream: 'anthropic', model: 'qwen', price },
          { upstream: 'stub', model: 'qwen', price },
        ],
      },
      'fuzz-text': { upstream: 'texts', model: 'codestral', price },
      'text-embedding-3-small': { upstream: 'openai', model: 'text-embedding-3-small', ...embedding },
      'gemini-embedding-001': { upstream: 'gemini', model: 'gemini-embedding-001', ...embedding },
      'fuzz-rerank': {
        upstream: 'openai',
        model: 'fuzz-rerank',
        price: { input: '0.1', output: '0', request: '0.002' },
      },
      'fuzz-moderation': { upstream: 'openai', model: 'omni-moderation-latest', ...embedding },
      'fuzz-image': {
        upstream: 'openai',
        model: 'gpt-image-1',
        media_price: { type: 'image', per_image: '0.01', streams: true, max_n: 4, max_input_images: 16 },
      },
      'fuzz-video': {
        upstream: 'openai',
        model: 'sora-2',
        media_price: { type: 'video', per_second: '0.1', supported_durations: [4, 8, 12] },
      },
      'fuzz-speech': { upstream: 'openai', model: 'tts-1', media_price: { type: 'speech', per_character: '0.00001' } },
      'fuzz-audio': {
        upstream: 'openai',
        model: 'whisper-1',
        media_price: { type: 'transcription', per_minute: '0.006' },
      },
    },
  }
}

const chats = ['svc-opus', 'svc-claude', 'svc-claude', 'svc-gemini', 'svc-gemini', 'svc-mistral', 'svc-qwen'] as const
const images = ['svc-image', 'openrouter/x-ai/grok-imagine-image-2.0', 'fuzz-image'] as const
const videos = ['openrouter/google/veo-3.1-lite', 'fuzz-video'] as const
const audioModels = ['fuzz-audio', 'openrouter/openai/whisper-1'] as const

const models: Readonly<Record<string, readonly string[]>> = {
  createChatCompletion: chats,
  createCompletion: [...chats, ...Array.from({ length: chats.length }, () => 'fuzz-text')],
  createResponse: chats,
  countResponseTokens: ['svc-opus', 'svc-claude', 'svc-gemini'],
  createMessage: chats,
  countMessageTokens: ['svc-opus', 'svc-claude', 'svc-claude', 'svc-gemini', 'svc-gemini'],
  createEmbedding: ['text-embedding-3-small', 'gemini-embedding-001'],
  createRerank: ['fuzz-rerank'],
  createRerankV2: ['fuzz-rerank'],
  createModeration: ['fuzz-moderation'],
  createImage: images,
  editImage: images,
  createImageByReference: images,
  createVideo: videos,
  submitVideo: videos,
  createSpeech: ['openrouter/openai/gpt-4o-mini-tts-2025-12-15', 'fuzz-speech'],
  createTranscription: audioModels,
  createTranslation: audioModels,
}

/** Models that an operation is asked for; none where it asks for none. */
export function modelsFor(operationId: string): readonly string[] {
  return models[operationId] ?? []
}
