import { tokenCost, type TokenPrices, type TokenUsage } from './prices.ts'
import { type EmbeddingModel, findEmbeddingModel } from './embedding-model.ts'
import { type SandboxFault, sandboxFaults } from './faults.ts'
import { findModerationModel, type ModerationModel } from './moderation-model.ts'
import { findRerankModel, type RerankModel } from './rerank-model.ts'
import { findMediaFault } from './media/find-media-model.ts'
import { type MediaFault, mediaFaults } from './media/media-faults.ts'
import { SANDBOX_PREFIX } from './sandbox-prefix.ts'
import { scriptedMediaOf, type ScriptedMedia } from './media/scripted-media.ts'

/** What a model does that makes no text of its own. */
type PromptType = 'embedding' | 'rerank' | 'moderation'

/** A scripted model as a catalog needs it. */
export interface SandboxModel {
  /** As a client asks for it; in the list of all, `@N` stands for a number. */
  readonly id: string
  /** Null for a model that makes or reads media. */
  readonly prices: TokenPrices | null
  /** Present for a model that makes no text of its own. */
  readonly type?: PromptType
  /** Absent for a model that chats. */
  readonly media?: ScriptedMedia
  readonly contextLength: number
  readonly maxOutputTokens: number
  /** What a client of the gateway sees, in one sentence. */
  readonly clientSees: string
  /** What the client is charged, in one sentence. */
  readonly charged: string
}

/** A scripted model as a catalog needs it, found by id. */
export type FoundModel = Omit<SandboxModel, 'clientSees' | 'charged'>

/** A scripted model with its number, found by id. */
export interface FoundFault {
  readonly fault: SandboxFault
  /** Null for a fault that takes none. */
  readonly number: number | null
}

/** All scripted models that chat, for documents and for tests. */
export const sandboxModels: readonly SandboxModel[] = sandboxFaults.map((fault) =>
  modelOf(`${SANDBOX_PREFIX}${fault.name}${fault.parameter === null ? '' : '@N'}`, fault),
)

/** The same of media. */
export const sandboxMediaModels: readonly SandboxModel[] = mediaFaults.map(mediaModelOf)

const byName = new Map(sandboxFaults.map((fault) => [fault.name, fault]))

/** Finds a scripted model by the id that a client asks for, such as `svc-sandbox/cut@3`; null for any other id. */
export function findSandboxModel(id: string): FoundModel | null {
  const media = findMediaFault(id)
  if (media !== null) return mediaModelOf(media)
  const embedding = findEmbeddingModel(id)
  if (embedding !== null) return promptModelOf('embedding', embedding)
  const rerank = findRerankModel(id)
  if (rerank !== null) return promptModelOf('rerank', rerank)
  const moderation = findModerationModel(id)
  if (moderation !== null) return promptModelOf('moderation', moderation)
  const found = findFault(id)
  return found === null ? null : modelOf(id, found.fault)
}

/** Finds the script of a model; null for an id that is none, or whose number is missing its place or too great. */
export function findFault(id: string): FoundFault | null {
  if (!id.startsWith(SANDBOX_PREFIX)) return null
  const [name = '', text, ...rest] = id.slice(SANDBOX_PREFIX.length).split('@')
  const fault = byName.get(name)
  if (fault === undefined || rest.length > 0) return null
  if (fault.parameter === null) return text === undefined ? { fault, number: null } : null
  if (text === undefined) return { fault, number: fault.parameter.fallback }
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
  return number <= fault.parameter.max ? { fault, number } : null
}

/** What a scripted model costs, in USD as decimal text; null for any other id. */
export function costOfSandboxModel(id: string, usage: TokenUsage): string | null {
  const found = findFault(id)
  return found === null ? null : tokenCost(found.fault.prices, usage)
}

function mediaModelOf({ name, prices, clientSees, charged }: MediaFault): SandboxModel {
  const texts = { prices: null, media: scriptedMediaOf(prices), contextLength: 0, maxOutputTokens: 0 }
  return { id: SANDBOX_PREFIX + name, ...texts, clientSees, charged }
}

function promptModelOf(
  type: PromptType,
  { id, prices, contextLength }: EmbeddingModel | RerankModel | ModerationModel,
): FoundModel {
  return { id, type, prices, contextLength, maxOutputTokens: 0 }
}

function modelOf(
  id: string,
  { prices, contextLength, maxOutputTokens, clientSees, charged }: SandboxFault,
): SandboxModel {
  return { id, prices, contextLength, maxOutputTokens, clientSees, charged }
}
