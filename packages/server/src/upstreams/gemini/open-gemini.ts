/** The adapter for Google's Gemini API. */
import { type NativeApi, type NativeOptions, openNative, refuseConfidential } from '../native/open-native.ts'
import { fetchJson } from '../openai-compatible/fetch-json.ts'
import { isObject } from '../openai-compatible/usage.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import type { Upstream } from '../upstream.ts'
import { openGeminiEvents, readGeminiAnswer } from './gemini-answer.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'
import { writeGeminiBody, writeGeminiCount } from './gemini-body.ts'

/** More models than there will be; the API gives so many at a time. */
const PAGE = 1_000
const LIST_MS = 30_000

async function listModels(client: UpstreamClient, name: string): Promise<unknown> {
  const list = await fetchJson(client, name, { path: `/models?pageSize=${PAGE}`, timeoutMs: LIST_MS })
  const rows = isObject(list?.value) ? list.value['models'] : null
  if (!Array.isArray(rows)) return list?.value ?? null
  return { data: rows.filter(isObject).filter(serves).map(rowOf) }
}

function has({ supportedGenerationMethods: methods }: Record<string, unknown>, method: string): boolean {
  return Array.isArray(methods) && methods.includes(method)
}

const chats = (row: Record<string, unknown>): boolean => has(row, 'generateContent')
const serves = (row: Record<string, unknown>): boolean => chats(row) || has(row, 'embedContent')

function rowOf(row: Record<string, unknown>): Record<string, unknown> {
  return {
    id: typeof row['name'] === 'string' ? row['name'].replace(/^models\//, '') : null,
    name: row['displayName'],
    description: row['description'],
    context_length: row['inputTokenLimit'],
    max_completion_tokens: row['outputTokenLimit'],
    architecture: chats(row)
      ? { input_modalities: ['text', 'image'], output_modalities: ['text'] }
      : { input_modalities: ['text'], output_modalities: ['embeddings'] },
  }
}

const api: NativeApi = {
  keyHeader: 'x-goog-api-key',
  headers: {},
  wire: {
    write: (request) => {
      refuseConfidential(request)
      const method = request.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      return { path: `/models/${encodeURIComponent(request.upstreamModel)}:${method}`, body: writeGeminiBody(request) }
    },
    count: {
      write: (request) => {
        refuseConfidential(request)
        return {
          path: `/models/${encodeURIComponent(request.upstreamModel)}:countTokens`,
          body: writeGeminiCount(request),
        }
      },
      field: 'totalTokens',
    },
    readAnswer: readGeminiAnswer,
    openEvents: openGeminiEvents,
  },
  embeddings: geminiEmbeddings,
  listModels,
}

/** Opens Gemini as an upstream. */
export function openGemini(options: NativeOptions): Upstream {
  return openNative(options, api)
}
