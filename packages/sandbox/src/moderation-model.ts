/** Models of the sandbox that classify texts: played and scripted. */
import type { FaultBehaviour } from './fault-behaviour.ts'
import type { TokenPrices } from './prices.ts'
import { findPromptFault, PROMPT_FAULTS } from './prompt-faults.ts'
import { SANDBOX_PREFIX } from './sandbox-prefix.ts'

export interface ModerationModel {
  readonly id: string
  readonly behaviour: FaultBehaviour
  readonly prices: TokenPrices
  /** Tokens of one text. */
  readonly contextLength: number
}

const WINDOW_TOKENS = 32_768
const ordinary: FaultBehaviour = { kind: 'answer', script: {} }

/** Free, as OpenAI's are. */
const played: ReadonlySet<string> = new Set(['omni-moderation-latest', 'text-moderation-latest'])
const free: TokenPrices = { input: 0n, output: 0n, request: null }

const PLAYED_ID = /^(?:openrouter\/)?(?:openai\/)?([\w-]+)$/

/** A scripted model's name is that of its fault behind this. */
const NAME = 'moderation'
const usual: TokenPrices = { input: 1_000_000_000_000n, output: 0n, request: null }

/** Ids of all models that classify; those that are played go by the same names with `openai/` in front, too. */
export const sandboxModerationModels: readonly string[] = [
  ...played,
  ...['', ...PROMPT_FAULTS.map((fault) => `-${fault}`)].map((end) => SANDBOX_PREFIX + NAME + end),
]

/** Finds a model that classifies by the id that a client asks for; null for any other. */
export function findModerationModel(id: string): ModerationModel | null {
  const contextLength = WINDOW_TOKENS
  if (id.startsWith(SANDBOX_PREFIX)) {
    const name = id.slice(SANDBOX_PREFIX.length)
    if (name === NAME) return { id, behaviour: ordinary, prices: usual, contextLength }
    const found = findPromptFault(name, NAME)
    return found === null ? null : { id, behaviour: found.behaviour, prices: found.prices, contextLength }
  }
  const [, name = ''] = PLAYED_ID.exec(id) ?? []
  return played.has(name) ? { id, behaviour: ordinary, prices: free, contextLength } : null
}
