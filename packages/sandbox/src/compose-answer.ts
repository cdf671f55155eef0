import type { ChatRequest, OfferedTool } from './chat-request.ts'
import { composeObject, composeReasoning, composeText, newResults } from './compose-text.ts'
import { valueForSchema } from './schema-value.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'

export interface ComposedCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** One choice before it is cut into tokens. */
export interface ComposedChoice {
  readonly reasoning: string
  readonly content: string
  readonly refusal: string
  readonly calls: readonly ComposedCall[]
  readonly finishReason: 'stop' | 'tool_calls' | 'content_filter'
}

/** What a scripted model changes in the answer; the ordinary model has `plain`. */
export type AnswerShape = 'plain' | 'empty' | 'reasoning' | 'tools' | 'refusal' | 'filtered'

/** Calls in one answer, at most. */
const CALLS_MAX = 8

/** What the model `svc-sandbox/tools` calls when nothing is offered. */
const SANDBOX_TOOL: OfferedTool = {
  name: 'sandbox_tool',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city', 'days'],
  },
}

/**
 * Writes one choice of an answer. Equal seeds, requests and numbers give equal choices; without a seed the request is
 * the seed.
 *
 * @param sandboxSeed changes every answer of one sandbox.
 * @param index which of the `n` choices.
 */
export function composeChoice(
  request: ChatRequest,
  shape: AnswerShape,
  sandboxSeed: string,
  index: number,
): ComposedChoice {
  const text = request.promptText
  const own = request.seed ?? `${text.length}:${text.slice(0, 2_048)}:${text.slice(-2_048)}`
  const random = createSeededRandom(`${sandboxSeed}|${request.model}|${index}|${own}`)
  const choice = { reasoning: '', content: '', refusal: '', calls: [], finishReason: 'stop' as const }
  if (shape === 'empty') return choice
  if (shape === 'refusal')
    return { ...choice, refusal: 'The sandbox refuses this request, as its model name asks it to.' }
  const reasoning = shape === 'reasoning' || request.wantsReasoning ? composeReasoning(random) : ''
  const tools = toolsToCall(request, shape, random)
  if (tools.length > 0) {
    return { ...choice, reasoning, calls: tools.map((tool) => composeCall(tool, random)), finishReason: 'tool_calls' }
  }
  const content = untilStop(composeContent(request, random), request.stop)
  return { ...choice, reasoning, content, finishReason: shape === 'filtered' ? 'content_filter' : 'stop' }
}

function composeContent(request: ChatRequest, random: SeededRandom): string {
  switch (request.format.kind) {
    case 'text':
      return composeText(request, random)
    case 'object':
      return JSON.stringify(composeObject(request, random))
    case 'schema':
      return JSON.stringify(valueForSchema(request.format.schema, random))
  }
}

/**
 * Chooses the tools to call. When free to choose, none after a result; else those that the last message names, or any
 * one.
 */
function toolsToCall(request: ChatRequest, shape: AnswerShape, random: SeededRandom): readonly OfferedTool[] {
  const { tools, toolChoice } = request
  const isAfterResult = newResults(request).length > 0
  if (tools.length === 0) return shape === 'tools' && !isAfterResult ? [SANDBOX_TOOL] : []
  if (typeof toolChoice === 'object') return tools.filter(({ name }) => name === toolChoice.name).slice(0, 1)
  if (toolChoice === 'none' || (toolChoice === 'auto' && isAfterResult)) return []
  const asked = request.messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const named = tools.filter(({ name }) => asked.includes(name))
  const chosen = named.length > 0 ? named : [random.pick(tools)]
  return chosen.slice(0, request.mayCallInParallel ? CALLS_MAX : 1)
}

function composeCall(tool: OfferedTool, random: SeededRandom): ComposedCall {
  const schema = tool.parameters ?? { type: 'object' }
  const id = Array.from({ length: 24 }, () => random.integer(0, 35).toString(36)).join('')
  return { id: `call_${id}`, name: tool.name, arguments: JSON.stringify(valueForSchema(schema, random)) }
}

/** Ends a text before the first of the stops, as models do: the stop itself is not sent. */
function untilStop(text: string, stops: readonly string[]): string {
  const cuts = stops.map((stop) => text.indexOf(stop)).filter((cut) => cut >= 0)
  return cuts.length === 0 ? text : text.slice(0, Math.min(...cuts))
}
