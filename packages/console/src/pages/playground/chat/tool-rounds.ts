/** Calls of tools in a chat: what the models are offered, told, and have said before. Pure. */
import type { Answer, Parameters, ToolCall, ToolRound, ToolSpec } from './conversation.ts'

/** Requests of one answer at most: a model that always calls must end. Source: own choice. */
export const ROUNDS_MAX = 5

/** A JSON object from text; null for anything else. */
export function objectFrom(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

const NAME = /^[\w-]{1,64}$/

/** What is wrong with a tool; null where it can be offered. */
export function toolProblem({ name, parameters }: ToolSpec): string | null {
  if (!NAME.test(name)) return 'A name has letters, digits, _ and -, at most 64.'
  return parameters.trim() === '' || objectFrom(parameters) !== null ? null : 'The parameters are no JSON Schema.'
}

/** Why nothing can be asked with these settings; null where it can. */
export function settingsProblem({ format, schema, tools }: Parameters): string | null {
  if (format === 'schema' && objectFrom(schema) === null) return 'Give a JSON Schema, or another format.'
  const wrong = tools.find((tool) => toolProblem(tool) !== null)
  return wrong === undefined ? null : `Tool ${wrong.name === '' ? 'without a name' : wrong.name}: look at its fields.`
}

/** Tools as a request offers them. */
export function offeredTools(tools: readonly ToolSpec[]): readonly object[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name,
      ...(description.trim() === '' ? {} : { description }),
      parameters: objectFrom(parameters) ?? { type: 'object', properties: {} },
    },
  }))
}

/** The replies that are written down for an answer's calls; null where one is not. */
export function scriptedReplies({ state, calls }: Answer, tools: readonly ToolSpec[]): readonly string[] | null {
  if (state !== 'done' || calls.length === 0) return null
  const replies = calls.map(({ name }) => tools.find((tool) => tool.name === name)?.reply ?? null)
  return replies.every((reply) => reply !== null) ? replies : null
}

/** An answer that goes on with the replies of its tools. */
export function withReplies(answer: Answer, replies: readonly string[]): Answer {
  const { text, reasoning, calls, requestId, charge } = answer
  const round = { text, reasoning, calls, replies, requestId, charge }
  return {
    ...answer,
    ...{ rounds: [...answer.rounds, round], text: '', reasoning: '', calls: [] },
    ...{ state: 'running', finish: null, requestId: null, charge: null, isEstimated: false },
    ...{ firstMs: null, totalMs: null, tokens: null },
  }
}

/** What a round was, as messages. */
export function messagesOfRound({ text, calls, replies }: ToolRound) {
  return [
    {
      role: 'assistant' as const,
      content: text === '' ? null : text,
      tool_calls: calls.map(({ id, name, arguments: given }) => ({
        ...{ id, type: 'function', function: { name, arguments: given } },
      })),
    },
    ...calls.map(({ id }, at) => ({ role: 'tool' as const, tool_call_id: id, content: replies[at] ?? '' })),
  ]
}

/** Calls with what has come of them since, place by place. */
export function mergeCalls(before: readonly ToolCall[], more: readonly ToolCall[]): readonly ToolCall[] {
  if (more.length === 0) return before
  return Array.from({ length: Math.max(before.length, more.length) }, (_, at) => {
    const [one, next] = [before[at], more[at]]
    return {
      id: (one?.id ?? '') || (next?.id ?? ''),
      name: (one?.name ?? '') + (next?.name ?? ''),
      arguments: (one?.arguments ?? '') + (next?.arguments ?? ''),
    }
  })
}
