/** What the sandbox's answers share that have no text of a model: their counts, their cost, and how they fail. */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { brokenError } from './completion-reply.ts'
import { type AnswerScript, type FaultBehaviour, ordinaryScript } from './fault-behaviour.ts'
import type { GenerationLog } from './generation-log.ts'
import { tokenCost, type TokenPrices, type TokenUsage } from './prices.ts'
import { invalidRequest, refusalError } from './sandbox-error.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import type { SandboxTokens } from './sandbox-tokens.ts'
import { sendError, sendJson, sendPage } from './send-reply.ts'

export interface PromptDeps {
  readonly options: Required<SandboxOptions>
  readonly generations: GenerationLog
  readonly tokens: SandboxTokens
}

interface PromptModel {
  readonly id: string
  readonly behaviour: FaultBehaviour
  readonly prices: TokenPrices
}

/** What was made of a request. */
interface PromptAnswer {
  readonly usage: Pick<TokenUsage, 'promptTokens' | 'requests'>
  /** Members of the answer beside its id, its model and its usage. */
  readonly members: object
}

/** Reads the members of a body. @throws {SandboxError} 400. */
export function parseBody(body: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(body)) as Record<string, unknown>
  } catch (cause) {
    throw Object.assign(invalidRequest('The body is not JSON.'), { cause })
  }
}

async function send(
  deps: PromptDeps,
  { id: model, prices }: PromptModel,
  { script, answer, response }: { script: AnswerScript; answer: PromptAnswer; response: ServerResponse },
): Promise<void> {
  const { clock, pace } = deps.options
  if (script.isSlow) await new Promise((resolve) => setTimeout(resolve, pace.slowFirstTokenMs))
  const none = { completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  const usage: TokenUsage = { ...none, ...answer.usage }
  const nowMs = clock.now()
  const id = `gen-${randomUUID()}`
  const cost = script.reportsCost ? tokenCost(prices, usage) : null
  if (script.usage !== 'none') {
    const visibleMs = script.usage === 'late' ? nowMs + pace.lateCostMs : nowMs
    const facts = { createdMs: nowMs, visibleMs, isStreamed: false, isCancelled: false, finishReason: null }
    deps.generations.add({ id, model, usage, cost, ...facts })
  }
  const body = JSON.stringify({ id, model, ...answer.members })
  const { promptTokens, requests } = usage
  const searches = requests === undefined ? '' : `,"search_units":${requests}`
  const costText = cost === null ? '' : `,"cost":${cost}`
  const counts = `"usage":{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}${searches}${costText}}`
  const text = script.usage === 'last' ? `${body.slice(0, -1)},${counts}}` : body
  const headers = { 'x-generation-id': id }
  if (script.breaks === 'never') return sendJson(response, 200, text, headers)
  response.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}

/**
 * Answers as a model's script says.
 * @param make the ordinary answer. @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerPrompt(
  deps: PromptDeps,
  model: PromptModel,
  response: ServerResponse,
  make: (script: AnswerScript) => Promise<PromptAnswer>,
): Promise<void> {
  const { behaviour } = model
  switch (behaviour.kind) {
    case 'answer': {
      const script = { ...ordinaryScript, ...behaviour.script }
      return send(deps, model, { script, answer: await make(script), response })
    }
    case 'refuse':
      return sendError(response, refusalError(behaviour))
    case 'page':
      return sendPage(response, behaviour.status)
    case 'error-body':
      return sendJson(response, 200, JSON.stringify({ error: brokenError }))
    default:
      return undefined
  }
}
