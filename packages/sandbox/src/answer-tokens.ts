import type { ComposedChoice } from './compose-answer.ts'
import type { SandboxTokens } from './sandbox-tokens.ts'

/** One token of an answer: which part it belongs to, and what it adds to it. */
export interface AnswerToken {
  readonly part: 'reasoning' | 'content' | 'refusal' | 'call'
  /** Which call, for the tokens of calls. */
  readonly call: number
  readonly text: string
}

export interface AnswerChoice {
  readonly tokens: readonly AnswerToken[]
  readonly calls: readonly { readonly id: string; readonly name: string }[]
  readonly finishReason: string
}

/**
 * Cuts a choice into tokens and ends it at the limit, with finish reason `length`.
 *
 * The number of tokens is the sum of the counts of reasoning, content, refusal, and each call's name and arguments. A
 * name's tokens add no text: the name travels whole.
 */
export async function tokensOfChoice(
  tokens: SandboxTokens,
  choice: ComposedChoice,
  limit: number,
): Promise<AnswerChoice> {
  const part = async (kind: AnswerToken['part'], text: string, call = 0): Promise<AnswerToken[]> =>
    text === '' ? [] : (await tokens.split(text)).map((token) => ({ part: kind, call, text: token }))
  const calls = choice.calls.flatMap(({ name, arguments: text }, call) => [
    part('call', name, call).then((name) => name.map((token) => ({ ...token, text: '' }))),
    part('call', text, call),
  ])
  const parts = await Promise.all([
    part('reasoning', choice.reasoning),
    part('content', choice.content),
    part('refusal', choice.refusal),
    ...calls,
  ])
  const all = parts.flat()
  if (all.length <= limit) return { tokens: all, calls: choice.calls, finishReason: choice.finishReason }
  const kept = all.slice(0, limit)
  const begun = kept.reduce((count, token) => (token.part === 'call' ? token.call + 1 : count), 0)
  return { tokens: kept, calls: choice.calls.slice(0, begun), finishReason: 'length' }
}

/** Joins what the tokens of one part add. */
export function textOfPart(choice: AnswerChoice, part: AnswerToken['part'], call = 0): string {
  let text = ''
  for (const token of choice.tokens) if (token.part === part && token.call === call) text += token.text
  return text
}
