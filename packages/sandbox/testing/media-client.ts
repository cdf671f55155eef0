/** A plain HTTP client for tests of the sandbox's media: no adapter is in between. */
import type { PlayedModel } from '../src/model-list.ts'
import { noPace, type SandboxOptions } from '../src/sandbox-options.ts'
import { type Sandbox, startSandbox } from '../src/sandbox-server.ts'
import { SANDBOX_KEY } from './sandbox-client.ts'

const CENT = 10n ** 16n

/** One model of each kind, each unit at one cent. */
export const mediaModels: readonly PlayedModel[] = [
  {
    ...{ id: 'test/image', contextLength: null, maxOutputTokens: null },
    media: { type: 'image', perImage: CENT, variants: [], perInputImage: CENT, perRequest: null },
  },
  {
    ...{ id: 'test/video', contextLength: null, maxOutputTokens: null },
    media: {
      type: 'video',
      perSecond: CENT,
      defaultResolution: '720p',
      defaultAudio: false,
      variants: [{ resolution: '360p', audio: null, perSecond: 5n * 10n ** 15n }],
      perInputImage: null,
      minimum: null,
    },
  },
  {
    ...{ id: 'test/speech', contextLength: null, maxOutputTokens: null },
    media: { type: 'speech', unit: 'character', perUnit: CENT },
  },
  {
    ...{ id: 'test/transcription', contextLength: null, maxOutputTokens: null },
    media: { type: 'transcription', perSecond: CENT },
  },
]

/** Starts a sandbox without waits, with one model of each kind. */
export function startMediaSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return startSandbox({ key: SANDBOX_KEY, models: () => mediaModels, costOf: () => null, pace: noPace, ...options })
}

/** Sends JSON, a form, or with null a GET. */
export function send(
  sandbox: Sandbox,
  path: string,
  body: object | FormData | null,
  method?: string,
): Promise<Response> {
  const isForm = body instanceof FormData
  return fetch(`${sandbox.url}${path}`, {
    method: method ?? (body === null ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${SANDBOX_KEY}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === null ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
}

export interface ImagesAnswer {
  readonly data: readonly { readonly b64_json: string; readonly media_type?: string }[]
  readonly usage: { readonly cost?: number }
}

/** The files of an answer about images. */
export async function imagesOf(response: Response): Promise<Buffer[]> {
  const answer = (await response.json()) as ImagesAnswer
  return answer.data.map((entry) => Buffer.from(entry.b64_json, 'base64'))
}

/** The status and the error's type of a failure. */
export async function refusalOf(response: Response): Promise<readonly [number, string]> {
  const { error } = (await response.json()) as { error: { metadata: { error_type: string } } }
  return [response.status, error.metadata.error_type]
}
