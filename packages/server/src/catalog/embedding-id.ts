/** A part of an id that names vectors: `text-embedding-3-small`, `nomic-embed-text`, `embed-v4`. */
const EMBEDDING_ID = /(?:^|[^a-z])embed(?:ding)?s?(?:[^a-z]|$)/i

/** Whether a model makes vectors by its name: lists of OpenAI's form say nothing else. */
export function isEmbeddingId(id: string): boolean {
  return EMBEDDING_ID.test(id)
}
