/**
 * The kinds of models and of paid work. A file without imports, so that a command line can name them without loading the
 * schemas.
 */

/** What a model does. */
export const modelTypes = [
  'text',
  'embedding',
  'rerank',
  'moderation',
  'image',
  'video',
  'speech',
  'transcription',
] as const
export type ModelType = (typeof modelTypes)[number]

/** Models that are sold by a unit of their own. */
const mediaModelTypes = ['image', 'video', 'speech', 'transcription'] as const satisfies readonly ModelType[]
type MediaModelType = (typeof mediaModelTypes)[number]

/** Models that are sold by the tokens of what they are sent alone, as those of vectors are. */
export type PromptModelType = Exclude<ModelType, 'text' | MediaModelType>

/** Whether models of a type are sold by tokens. */
export function isSoldByTokens(type: ModelType): type is 'text' | PromptModelType {
  return !(mediaModelTypes as readonly ModelType[]).includes(type)
}

/** Whether models of a type are sold by the tokens of what they are sent alone. */
export function isSoldByPrompt(type: ModelType): type is PromptModelType {
  return type !== 'text' && isSoldByTokens(type)
}

/** What a request is charged for. */
export const usageTypes = [
  'chat',
  'embedding',
  'rerank',
  'moderation',
  'image',
  'video',
  'speech',
  'transcription',
] as const
export type UsageType = (typeof usageTypes)[number]

/** How a charged request ended. What each means is said where clients read it: `usageRecord`. */
export const usageStatuses = ['ok', 'incomplete', 'error', 'cancelled'] as const
export type UsageStatus = (typeof usageStatuses)[number]

/** Everything that a key may be allowed. Source: decision 0011 (keys). */
export const keyRights = ['inference', 'deposits', 'keys'] as const

export type KeyRight = (typeof keyRights)[number]
