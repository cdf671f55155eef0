import type { ServerResponse } from 'node:http'
import type { TokenUsage } from './prices.ts'
import { randomUUID } from 'node:crypto'
import type { AnswerChoice } from './answer-tokens.ts'
import { type ChatRequest, parseChatRequest } from './chat-request.ts'
import { brokenError, renderCompletion } from './completion-reply.ts'
import { type AnswerScript, type FaultBehaviour, ordinaryScript } from './fault-behaviour.ts'
import { type Flood, floodTokens, streamedFlood, wholeFlood } from './flood-steps.ts'
import type { GenerationLog } from './generation-log.ts'
import { chatImageTokens } from './media/draw-for-chat.ts'
import type { ModelList } from './model-list.ts'
import { playSteps, type Played, type Step } from './play-steps.ts'
import { makeChoices, type ModelLimits, type SandboxAnswer, usageAt, usageOf } from './sandbox-answer.ts'
import { refusalError, SandboxError } from './sandbox-error.ts'
import { costOfSandboxModel, findFault } from './sandbox-model.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import type { SandboxTokens } from './sandbox-tokens.ts'
import { sendError, sendJson, sendPage } from './send-reply.ts'
import { streamSteps } from './stream-steps.ts'
import { overheadTokens } from './usage-report.ts'

export interface ChatDeps {
  readonly options: Required<SandboxOptions>
  readonly models: ModelList
  readonly generations: GenerationLog
  readonly tokens: SandboxTokens
  /** Draws what a text says, as a data URL; null where nothing can be drawn. */
  readonly draw: (text: string) => Promise<string | null>
}

interface Casting {
  readonly behaviour: FaultBehaviour
  readonly number: number | null
  readonly limits: ModelLimits
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const
const JSON_TYPE = { 'content-type': 'application/json' } as const

/**
 * Answers `POST /chat/completions` as the model that is asked for.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerChat(deps: ChatDeps, body: string, response: ServerResponse): Promise<void> {
  const request = parseChatRequest(body)
  const { behaviour, number, limits } = castModel(deps, request.model)
  switch (behaviour.kind) {
    case 'answer':
      return answer(
        deps,
        request,
        { ...ordinaryScript, breakAfter: number ?? 0, ...behaviour.script },
        { response, limits },
      )
    case 'flood':
      return flood(deps, request, number ?? 1, response)
    case 'refuse':
      return sendError(response, refusalError(behaviour))
    case 'page':
      return sendPage(response, behaviour.status)
    case 'error-body':
      return sendJson(response, 200, JSON.stringify({ error: brokenError }))
    case 'silence':
      return undefined
  }
}

function castModel({ models }: ChatDeps, id: string): Casting {
  const found = findFault(id)
  if (found !== null) return { behaviour: found.fault.behaviour, number: found.number, limits: found.fault }
  const model = models.find(id)
  if (model === null) throw new SandboxError(400, 'model_not_found', `${id.slice(0, 200)} is not a valid model ID`)
  return { behaviour: { kind: 'answer', script: {} }, number: null, limits: model }
}

async function answer(
  deps: ChatDeps,
  request: ChatRequest,
  script: AnswerScript,
  { response, limits }: { readonly response: ServerResponse; readonly limits: ModelLimits },
): Promise<void> {
  const { clock, pace } = deps.options
  const made = await makeChoices({ tokens: deps.tokens, seed: deps.options.seed }, request, script, limits)
  const drawn = await drawFor(deps, request, script, made.choices)
  const createdMs = clock.now()
  const costOf = (usage: TokenUsage): string | null =>
    script.reportsCost ? costOfModel(deps, request.model, usage) : null
  const { model, topLogprobs } = request
  const whole: SandboxAnswer = {
    id: `gen-${randomUUID()}`,
    createdMs,
    model,
    topLogprobs,
    ...drawn,
    ...made,
    script,
    costOf,
  }
  if (response.destroyed) return
  const firstTokenMs = script.isSlow ? pace.slowFirstTokenMs : pace.firstTokenMs
  const tokenMs = script.isSlow ? pace.slowTokenMs : pace.tokenMs
  const onEnd = (played: Played): void => remember(deps, whole, request.isStreamed, played)
  const isBroken = script.breaks === 'cut' || script.breaks === 'hang'
  if (!request.isStreamed && !isBroken) return sendWhole(response, whole, firstTokenMs, onEnd)
  const type = request.isStreamed ? EVENT_STREAM : JSON_TYPE
  response.writeHead(200, { 'x-generation-id': whole.id, ...(script.sendsContentType ? type : {}) })
  const steps = request.isStreamed ? streamSteps(whole, { firstTokenMs, tokenMs }) : halfBody(whole)
  playSteps(response, steps, onEnd, script.wire === 'fragments' ? 1 : undefined)
}

const NO_IMAGE = { image: null, imageTokens: 0 } as const

/** A model that makes images gives one in its answer, too, unless the request's limit leaves no room for it. */
async function drawFor(
  { models, draw }: ChatDeps,
  request: ChatRequest,
  { shape }: AnswerScript,
  choices: readonly AnswerChoice[],
): Promise<Pick<SandboxAnswer, 'image' | 'imageTokens'>> {
  const imageTokens = chatImageTokens(models.find(request.model)?.media)
  if (imageTokens === null || !request.takesImages || shape !== 'plain') return NO_IMAGE
  const textTokens = choices.reduce((sum, { tokens }) => sum + tokens.length, 0)
  if (request.maxTokens !== null && textTokens + imageTokens > request.maxTokens) return NO_IMAGE
  const image = await draw(request.messages.findLast(({ role }) => role === 'user')?.text ?? '')
  return image === null ? NO_IMAGE : { image, imageTokens }
}

/** Sends a whole answer after a wait, in one piece with its length, which is what most requests get. */
function sendWhole(
  response: ServerResponse,
  whole: SandboxAnswer,
  waitMs: number,
  onEnd: (played: Played) => void,
): void {
  const { completionTokens } = usageOf(whole)
  const send = (): void => {
    onEnd({ tokens: completionTokens, isCancelled: false })
    const text = renderCompletion(whole)
    response.writeHead(200, {
      'x-generation-id': whole.id,
      'content-length': Buffer.byteLength(text),
      ...(whole.script.sendsContentType ? JSON_TYPE : {}),
    })
    response.end(text)
  }
  if (waitMs === 0) return send()
  const timer = setTimeout(send, waitMs)
  response.once('close', () => {
    clearTimeout(timer)
    if (!response.headersSent) onEnd({ tokens: completionTokens, isCancelled: true })
  })
}

function costOfModel({ options }: ChatDeps, model: string, usage: TokenUsage): string | null {
  return costOfSandboxModel(model, usage) ?? options.costOf(model, usage)
}

/** A body that breaks in its middle. */
function* halfBody(whole: SandboxAnswer): Generator<Step> {
  const text = renderCompletion(whole)
  yield { kind: 'write', text: text.slice(0, text.length / 2), waitMs: 0, tokens: 0 }
  yield { kind: whole.script.breaks === 'cut' ? 'cut' : 'hang' }
}

/**
 * Keeps what the look-up will show. A broken connection leaves nothing to look up: that is the hard case that it plays.
 */
function remember(deps: ChatDeps, whole: SandboxAnswer, isStreamed: boolean, { tokens, isCancelled }: Played): void {
  const { script } = whole
  if (script.usage === 'none' || script.breaks !== 'never') return
  const usage = usageAt(whole, isStreamed && isCancelled ? tokens : Number.POSITIVE_INFINITY)
  const nowMs = deps.options.clock.now()
  deps.generations.add({
    id: whole.id,
    model: whole.model,
    usage,
    cost: whole.costOf(usage),
    createdMs: whole.createdMs,
    visibleMs: script.usage === 'late' ? nowMs + deps.options.pace.lateCostMs : nowMs,
    isStreamed,
    isCancelled,
    finishReason: isCancelled ? null : (whole.choices[0]?.finishReason ?? null),
  })
}

async function flood(deps: ChatDeps, request: ChatRequest, mebibytes: number, response: ServerResponse): Promise<void> {
  const promptTokens = (await deps.tokens.count(request.promptText)) + overheadTokens(request.messages)
  const createdMs = deps.options.clock.now()
  const usageFor = (completionTokens: number): TokenUsage => {
    return { promptTokens, completionTokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  }
  const costOf = (completionTokens: number): string | null =>
    costOfModel(deps, request.model, usageFor(completionTokens))
  const plan: Flood = {
    id: `gen-${randomUUID()}`,
    createdMs,
    model: request.model,
    mebibytes,
    promptTokens,
    costOf,
  }
  if (response.destroyed) return
  response.writeHead(200, {
    'x-generation-id': plan.id,
    ...(request.isStreamed ? EVENT_STREAM : JSON_TYPE),
  })
  playSteps(response, request.isStreamed ? streamedFlood(plan) : wholeFlood(plan), ({ tokens, isCancelled }) => {
    const usage = usageFor(isCancelled ? tokens : floodTokens(mebibytes))
    const nowMs = deps.options.clock.now()
    const facts = {
      createdMs,
      visibleMs: nowMs,
      isStreamed: request.isStreamed,
      isCancelled,
      finishReason: isCancelled ? null : 'stop',
    }
    deps.generations.add({ id: plan.id, model: plan.model, usage, cost: costOf(usage.completionTokens), ...facts })
  })
}
