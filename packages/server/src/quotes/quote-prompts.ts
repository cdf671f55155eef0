/** Quotes of work that is charged by its prompt. */
import { type EmbeddingTask, embeddingWork } from '../modalities/embeddings/embed-texts.ts'
import { type ModerationTask, moderationWork } from '../modalities/moderations/moderate-inputs.ts'
import { likelyRanking, mostSearches, type RerankTask, rerankWork } from '../modalities/rerank/rank-documents.ts'
import type { CountingDeps } from '../pipeline/paid-work.ts'
import { chargeChat } from '../pricing/charge-chat.ts'
import { estimateTexts } from '../pricing/embedding-bound.ts'
import type { ChatPrice } from '../pricing/price.ts'
import { beginsNothing, promptLines, quoted, type TakeQuote } from './quoted-work.ts'

function likely(price: ChatPrice, promptTokens: number, requests?: number) {
  const none = { completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  return chargeChat(price, { promptTokens, ...none, ...(requests === undefined ? {} : { requests }) }, null).charge
}

export function quoteEmbeddings(deps: CountingDeps, task: EmbeddingTask): TakeQuote {
  return quoted(embeddingWork(deps, task, beginsNothing), ({ targets: [{ price }] }, bound) => ({
    fixed: bound.fixed,
    likely: likely(price, estimateTexts(task.call.texts)),
    lines: promptLines(bound),
  }))
}

export function quoteModeration(deps: CountingDeps, task: ModerationTask): TakeQuote {
  return quoted(moderationWork(deps, task, beginsNothing), ({ targets: [{ price }] }, bound) => ({
    fixed: bound.fixed,
    likely: likely(price, estimateTexts(task.call.texts)),
    lines: promptLines(bound),
  }))
}

export function quoteRanking(deps: CountingDeps, task: RerankTask): TakeQuote {
  return quoted(rerankWork(deps, task, beginsNothing), ({ targets: [{ price }] }, bound) => {
    const { tokens, searches } = likelyRanking(task.call)
    return {
      fixed: bound.fixed,
      likely: likely(price, tokens, searches),
      lines: promptLines(bound, { unit: 'searches', quantity: mostSearches(task.call) }),
    }
  })
}
