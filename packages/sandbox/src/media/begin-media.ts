import type { ServerResponse } from 'node:http'
import { brokenError } from '../completion-reply.ts'
import type { GenerationLog } from '../generation-log.ts'
import type { ModelList } from '../model-list.ts'
import { refusalError, SandboxError } from '../sandbox-error.ts'
import type { SandboxOptions } from '../sandbox-options.ts'
import { sendError, sendJson, sendPage } from '../send-reply.ts'
import type { Studio } from '../studio/studio.ts'
import { findMediaModel, type MediaModel } from './find-media-model.ts'
import type { MediaType } from './media-faults.ts'
import { type MediaScript, ordinaryMedia } from './media-script.ts'

/** What answers about media are made with. */
export interface MediaDeps {
  readonly options: Required<SandboxOptions>
  readonly models: ModelList
  readonly generations: GenerationLog
  readonly abilities: ReadonlySet<MediaType>
  readonly studios: Readonly<Record<MediaType, Studio>>
}

/** Work that is to be done as it was asked. */
export interface MediaTask {
  readonly model: MediaModel
  readonly script: MediaScript
}

/**
 * Finds the model and plays its fault where it has one that ends the request.
 * @returns null when the answer was given already.
 * @throws {SandboxError} 400 for an unknown model, 501 where the packages for it are missing.
 */
export function beginMedia(deps: MediaDeps, id: string, type: MediaType, response: ServerResponse): MediaTask | null {
  const model = findMediaModel(deps.models, id, type)
  const { behaviour } = model
  switch (behaviour.kind) {
    case 'make':
      requireAbility(deps, type)
      return { model, script: { ...ordinaryMedia, ...behaviour.script } }
    case 'refuse':
      sendError(response, refusalError(behaviour))
      return null
    case 'page':
      sendPage(response, behaviour.status)
      return null
    case 'error-body':
      sendJson(response, 200, JSON.stringify({ error: brokenError }))
      return null
    case 'silence':
      return null
  }
}

function requireAbility({ abilities }: MediaDeps, type: MediaType): void {
  if (abilities.has(type)) return
  const message = `The optional packages for ${type} are not installed: npm ci without --omit=optional brings them.`
  throw new SandboxError(503, 'provider_unavailable', message)
}

/** A signal that ends when the client goes before its answer is out. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}

/** Waits as a slow model does. */
export async function waitIfSlow({ options }: MediaDeps, { isSlow }: MediaScript): Promise<void> {
  if (isSlow) await new Promise((resolve) => setTimeout(resolve, options.pace.slowFirstTokenMs))
}

/** Sends half of an answer and breaks the connection. */
export function sendHalf(response: ServerResponse, body: Uint8Array, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, { ...headers, 'content-length': body.length })
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy())
}
