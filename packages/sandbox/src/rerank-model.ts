/** Models of the sandbox that rank documents: played and scripted. */
import type { FaultBehaviour } from './fault-behaviour.ts'
import type { TokenPrices } from './prices.ts'
import { findPromptFault, PROMPT_FAULTS } from './prompt-faults.ts'
import { SANDBOX_PREFIX } from './sandbox-prefix.ts'

export interface RerankModel {
  readonly id: string
  readonly behaviour: FaultBehaviour
  readonly prices: TokenPrices
  /** Tokens of the query and one document. */
  readonly contextLength: number
}

const WINDOW_TOKENS = 32_768

/** Two models of their makers' names: one is sold by searches, the other by tokens. */
const played: Readonly<Record<string, TokenPrices>> = {
  'rerank-v3.5': { input: 0n, output: 0n, request: 2_000_000_000_000_000n },
  'jina-reranker-v2-base-multilingual': { input: 20_000_000_000n, output: 0n, request: null },
}

const PLAYED_ID = /^(?:openrouter\/)?(?:cohere\/|jina-?ai\/)?([\w.-]+)$/

/** A scripted model's name is that of its fault behind this. */
const NAME = 'rerank'
const usual: TokenPrices = { input: 1_000_000_000_000n, output: 0n, request: null }

/** Ids of all models that rank; those that are played go by the names with their makers' in front, too. */
export const sandboxRerankModels: readonly string[] = [
  ...Object.keys(played),
  ...['', ...PROMPT_FAULTS.map((fault) => `-${fault}`)].map((end) => SANDBOX_PREFIX + NAME + end),
]

/** Finds a model that ranks by the id that a client asks for; null for any other. */
export function findRerankModel(id: string): RerankModel | null {
  const contextLength = WINDOW_TOKENS
  if (id.startsWith(SANDBOX_PREFIX)) {
    const name = id.slice(SANDBOX_PREFIX.length)
    if (name === NAME) return { id, behaviour: { kind: 'answer', script: {} }, prices: usual, contextLength }
    const found = findPromptFault(name, NAME)
    return found === null ? null : { id, behaviour: found.behaviour, prices: found.prices, contextLength }
  }
  const [, name = ''] = PLAYED_ID.exec(id) ?? []
  const prices = Object.hasOwn(played, name) ? played[name] : undefined
  return prices === undefined ? null : { id, behaviour: { kind: 'answer', script: {} }, prices, contextLength }
}
