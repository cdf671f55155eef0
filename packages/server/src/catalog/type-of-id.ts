/** What a model does by its name: lists of OpenAI's form say nothing else. */

import type { PromptModelType } from '@svc/contract'

/** A part of an id that names vectors: `text-embedding-3-small`, `nomic-embed-text`, `embed-v4`. */
const EMBEDDING_ID = /(?:^|[^a-z])embed(?:ding)?s?(?:[^a-z]|$)/i
/** A part of an id that names rankings: `rerank-v3.5`, `bge-reranker-v2-m3`. */
const RERANK_ID = /(?:^|[^a-z])rerank(?:er|ing)?(?:[^a-z]|$)/i

/** A part of an id that names moderation: `omni-moderation-latest`, `mistral-moderation-2411`. */
const MODERATION_ID = /(?:^|[^a-z])moderation(?:[^a-z]|$)/i

/** The type of a model, and what it gives out in the words of lists. */
export interface NamedType {
  readonly type: 'text' | PromptModelType
  readonly output: string
}

/** Of a model that no list describes. */
export function typeOfId(id: string): NamedType {
  if (RERANK_ID.test(id)) return { type: 'rerank', output: 'rerank' }
  if (MODERATION_ID.test(id)) return { type: 'moderation', output: 'moderation' }
  return EMBEDDING_ID.test(id) ? { type: 'embedding', output: 'embeddings' } : { type: 'text', output: 'text' }
}
