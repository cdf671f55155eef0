/** The adapter for Anthropic's Messages API. */
import { type NativeApi, type NativeOptions, openNative, refuseConfidential } from '../native/open-native.ts'
import { fetchJson } from '../openai-compatible/fetch-json.ts'
import { isObject } from '../openai-compatible/usage.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import type { Upstream } from '../upstream.ts'
import { readAnthropicAnswer } from './anthropic-answer.ts'
import { writeAnthropicBody, writeAnthropicCount } from './anthropic-body.ts'
import { AnthropicEvents } from './anthropic-events.ts'

/** Source: Anthropic's API reference, "Versions". */
const VERSION = '2023-06-01'
/** More models than there will be; the API gives so many at a time. */
const PAGE = 1_000
const LIST_MS = 30_000

async function listModels(client: UpstreamClient, name: string): Promise<unknown> {
  const list = await fetchJson(client, name, { path: `/models?limit=${PAGE}`, timeoutMs: LIST_MS })
  const rows = isObject(list?.value) ? list.value['data'] : null
  if (!Array.isArray(rows)) return list?.value ?? null
  return {
    data: rows.filter(isObject).map((row) => ({
      id: row['id'],
      name: row['display_name'],
      created: createdOf(row['created_at']),
      context_length: row['max_input_tokens'],
      max_completion_tokens: row['max_tokens'],
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    })),
  }
}

/** Seconds since the epoch; null for what is no time. */
function createdOf(time: unknown): number | null {
  const milliseconds = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isFinite(milliseconds) ? Math.floor(milliseconds / 1_000) : null
}

const api: NativeApi = {
  keyHeader: 'x-api-key',
  headers: { 'anthropic-version': VERSION },
  wire: {
    write: (request) => {
      refuseConfidential(request)
      return { path: '/messages', body: writeAnthropicBody(request) }
    },
    count: {
      write: (request) => {
        refuseConfidential(request)
        return { path: '/messages/count_tokens', body: writeAnthropicCount(request) }
      },
      field: 'input_tokens',
    },
    readAnswer: readAnthropicAnswer,
    openEvents: () => {
      const events = new AnthropicEvents()
      return (data) => events.read(data)
    },
  },
  embeddings: null,
  listModels,
}

/** Opens Anthropic as an upstream. */
export function openAnthropic(options: NativeOptions): Upstream {
  return openNative(options, api)
}
