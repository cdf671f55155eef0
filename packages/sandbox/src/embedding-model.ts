/** Models of the sandbox that turn texts into vectors: played and scripted. */
import type { TokenPrices } from './prices.ts'
import type { FaultBehaviour } from './fault-behaviour.ts'
import { findPromptFault, PROMPT_FAULTS } from './prompt-faults.ts'
import { SANDBOX_PREFIX } from './sandbox-prefix.ts'

export interface EmbeddingModel {
  readonly id: string
  readonly behaviour: FaultBehaviour
  readonly prices: TokenPrices
  /** Tokens of one text. */
  readonly contextLength: number
  /** Of a vector whose length the request leaves open; no longer one can be had. */
  readonly dimensions: number
}

const WINDOW_TOKENS = 8_192
const ordinary: FaultBehaviour = { kind: 'answer', script: {} }

function pricesOf(input: bigint): TokenPrices {
  return { input, output: 0n, request: null }
}

/** The names that clients ask for by default, at the prices and lengths of their models. */
const played: Readonly<Record<string, { readonly dimensions: number; readonly input: bigint }>> = {
  'text-embedding-3-small': { dimensions: 1_536, input: 20_000_000_000n },
  'text-embedding-3-large': { dimensions: 3_072, input: 130_000_000_000n },
  'text-embedding-ada-002': { dimensions: 1_536, input: 100_000_000_000n },
}

const PLAYED_ID = /^(?:openrouter\/)?(?:openai\/)?(text-embedding-[\w-]+)$/

/** A scripted model's name is that of its fault behind this. */
const NAME = 'embedding'

/** Ids of all models that make vectors; those that are played go by the same names with `openai/` in front, too. */
export const sandboxEmbeddingModels: readonly string[] = [
  ...Object.keys(played),
  ...['', ...PROMPT_FAULTS.map((fault) => `-${fault}`)].map((end) => SANDBOX_PREFIX + NAME + end),
]

const usual = { contextLength: WINDOW_TOKENS, dimensions: 1_536 } as const

function scripted(id: string): EmbeddingModel | null {
  const name = id.slice(SANDBOX_PREFIX.length)
  if (name === NAME) return { id, behaviour: ordinary, prices: pricesOf(1_000_000_000_000n), ...usual }
  const found = findPromptFault(name, NAME)
  return found === null ? null : { id, behaviour: found.behaviour, prices: found.prices, ...usual }
}

/** Finds a model that makes vectors by the id that a client asks for; null for any other. */
export function findEmbeddingModel(id: string): EmbeddingModel | null {
  if (id.startsWith(SANDBOX_PREFIX)) return scripted(id)
  const [, name = ''] = PLAYED_ID.exec(id) ?? []
  const model = Object.hasOwn(played, name) ? played[name] : undefined
  if (model === undefined) return null
  const { dimensions, input } = model
  return { id, behaviour: ordinary, prices: pricesOf(input), contextLength: WINDOW_TOKENS, dimensions }
}
