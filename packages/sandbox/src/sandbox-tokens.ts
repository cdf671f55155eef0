import { createTokenCounter } from '@svc/tokens'
import { TokenCountError } from '@svc/tokens/token-count-error'
import { SandboxError } from './sandbox-error.ts'

/** Counts and splits for the sandbox, with a memory for what was asked before. */
export interface SandboxTokens {
  /** @throws {SandboxError} when the text is longer than any context window, or counting fails. */
  count(text: string): Promise<number>
  /** @throws {SandboxError} as `count`. */
  split(text: string): Promise<readonly string[]>
  close(): Promise<void>
}

/** Largest prompt in bytes: about a million tokens of prose. Source: own choice. */
const PROMPT_BYTES_MAX = 4 * 1_024 * 1_024
/** A text up to this many UTF-16 units is remembered, and so many of them. */
const REMEMBERED_UNITS = 2_048
const REMEMBERED_TEXTS = 512

/** Counts in a worker of the sandbox's own, so that its work never waits behind the gateway's. */
export function createSandboxTokens(): SandboxTokens {
  const counter = createTokenCounter({ maxBytes: PROMPT_BYTES_MAX, limitMs: 20_000, maxWaiting: 20_000 })
  return {
    count: remembering(async (text) => await counter.count(text).catch(refuse)),
    split: remembering(async (text) => await counter.split(text).catch(refuse)),
    close: () => counter.close(),
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof TokenCountError)) throw error
  if (error.failure === 'too_large') {
    throw new SandboxError(400, 'context_length_exceeded', `The prompt is longer than ${PROMPT_BYTES_MAX} bytes.`)
  }
  throw new SandboxError(503, 'provider_overloaded', 'The sandbox cannot count tokens at the moment.')
}

function remembering<Result>(find: (text: string) => Promise<Result>): (text: string) => Promise<Result> {
  const known = new Map<string, Result>()
  return async (text) => {
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    const result = await find(text)
    if (text.length > REMEMBERED_UNITS) return result
    const oldest = known.size >= REMEMBERED_TEXTS ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    known.set(text, result)
    return result
  }
}
