import type { MediaPrices } from '../prices.ts'
import type { ModelList } from '../model-list.ts'
import { SandboxError } from '../sandbox-error.ts'
import { SANDBOX_PREFIX } from '../sandbox-prefix.ts'
import { type MediaFault, mediaFaults, type MediaType } from './media-faults.ts'
import type { MediaBehaviour } from './media-script.ts'

/** A model that makes or reads media, played or scripted. */
export interface MediaModel {
  readonly id: string
  readonly prices: MediaPrices
  readonly behaviour: MediaBehaviour
}

const byName = new Map(mediaFaults.map((fault) => [fault.name, fault]))

/** Finds a scripted model of media by the id that a client asks for; null for any other. */
export function findMediaFault(id: string): MediaFault | null {
  return id.startsWith(SANDBOX_PREFIX) ? (byName.get(id.slice(SANDBOX_PREFIX.length)) ?? null) : null
}

/** @throws {SandboxError} 400 when there is no such model, or it does something else. */
export function findMediaModel(models: ModelList, id: string, type: MediaType): MediaModel {
  const fault = findMediaFault(id)
  const prices = fault?.prices ?? models.find(id)?.media ?? null
  if (prices === null || prices.type !== type) {
    const message = `${id.slice(0, 200)} is not a valid model ID for ${type}`
    throw new SandboxError(400, models.find(id) === null ? 'model_not_found' : 'wrong_endpoint', message)
  }
  return { id, prices, behaviour: fault?.behaviour ?? { kind: 'make', script: {} } }
}
