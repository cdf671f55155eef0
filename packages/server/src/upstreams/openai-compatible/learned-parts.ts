/** All that is learned of one upstream: its models refuse the same whichever of our keys asks them. */
import { LearnedRefusals } from './learned-refusals.ts'
import type { ChatPart, ReasoningName } from './optional-parts.ts'

/** What some servers refuse: they have vectors as numbers alone, and no word for them. Here they are encoded anyway. */
export type EmbeddingPart = 'encoding_format'

export interface LearnedParts {
  readonly chats: LearnedRefusals<ChatPart>
  /** The same of text completions, whose path may refuse other parts. */
  readonly texts: LearnedRefusals<ChatPart>
  readonly embeddings: LearnedRefusals<EmbeddingPart>
  /** By model: under which name it writes its reasoning. */
  readonly reasoningNames: Map<string, ReasoningName>
}

/** Of an upstream that was not asked yet. */
export function createLearnedParts(): LearnedParts {
  return {
    chats: new LearnedRefusals(),
    texts: new LearnedRefusals(),
    embeddings: new LearnedRefusals(),
    reasoningNames: new Map(),
  }
}
