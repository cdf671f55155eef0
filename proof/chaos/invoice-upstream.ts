/**
 * The upstream of the chaos run. It keeps an invoice of its own: what it was asked, what it sent, and what it
 * wants for it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { listenOnLoopback } from '../../packages/server/testing/loopback-server.ts'
import { type AnswerPlan, findTag, planAnswer } from './answer-plan.ts'

/** One line of the invoice. */
export interface InvoiceLine {
  readonly generationId: string
  readonly tag: number
  readonly model: string
  readonly stream: boolean
  readonly plan: AnswerPlan
  /** Words that were handed to the network. */
  wordsSent: number
  /** The answer's end, usage included where planned, was handed to the network. */
  isWhole: boolean
  /** The gateway closed the connection before the end. */
  wasLeft: boolean
  /** Times that somebody asked what it had cost. */
  lookUps: number
}

export interface InvoiceUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  readonly lines: readonly InvoiceLine[]
  close(): Promise<void>
}

/** The longest that a silent answer hangs, in milliseconds, when nobody closes it. */
const SILENCE_MS = 30_000
/** A cost can be looked up this many times in vain before it is known. */
const LOOK_UPS_IN_VAIN = 1

const CREATED = 1_795_813_200

function usageJson({ plan }: InvoiceLine): string {
  const cost = plan.reportsCost && plan.behaviour !== 'late_cost' ? `"cost":${plan.costText},` : ''
  const total = plan.promptTokens + plan.completionTokens
  return (
    `{${cost}"prompt_tokens":${plan.promptTokens},"completion_tokens":${plan.completionTokens},` +
    `"total_tokens":${total}}`
  )
}

function hasUsage({ behaviour }: AnswerPlan): boolean {
  return behaviour !== 'no_usage' && behaviour !== 'late_cost'
}

function envelope(line: InvoiceLine, object: string): string {
  return `"id":"${line.generationId}","object":"${object}","created":${CREATED},"model":"${line.model}"`
}

function chunk(line: InvoiceLine, delta: object, finishReason: string | null = null): string {
  const choices = JSON.stringify([{ index: 0, delta, finish_reason: finishReason }])
  return `data: {${envelope(line, 'chat.completion.chunk')},"choices":${choices}}\n\n`
}

function errorFrame(line: InvoiceLine, isBilled: boolean): string {
  const usage = isBilled ? `,"usage":${usageJson(line)}` : ''
  const error = '"error":{"code":502,"message":"Provider failed"}'
  return `data: {${envelope(line, 'chat.completion.chunk')},${error}${usage}}\n\n`
}

function completion(line: InvoiceLine): string {
  const { plan } = line
  const content = plan.behaviour === 'empty' ? '' : plan.words.join('')
  const message = JSON.stringify({ role: 'assistant', content })
  const usage = hasUsage(plan) ? `,"usage":${usageJson(line)}` : ''
  const choices = `[{"index":0,"finish_reason":"stop","message":${message}}]`
  return `{${envelope(line, 'chat.completion')},"choices":${choices}${usage}}`
}

function hang(line: InvoiceLine, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => response.destroy(), SILENCE_MS)
    response.once('close', () => {
      clearTimeout(timeout)
      line.wasLeft = true
      resolve()
    })
  })
}

/** Ends an answer and notes whether the network took all of it. */
function finish(line: InvoiceLine, response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.once('finish', () => {
      line.isWhole = true
    })
    response.once('close', resolve)
    response.end(text)
  })
}

async function answerWhole(line: InvoiceLine, response: ServerResponse): Promise<void> {
  const { plan } = line
  await wait(plan.pauseMs * 3)
  const text = completion(line)
  response.writeHead(200, { 'content-type': 'application/json', 'x-generation-id': line.generationId })
  if (plan.behaviour === 'cut' || plan.behaviour.endsWith('frame')) {
    response.write(text.slice(0, Math.floor((text.length * (plan.wordsBefore + 1)) / (plan.words.length + 2))))
    await wait(5)
    return void response.destroy()
  }
  if (plan.behaviour === 'silent_middle') {
    response.write(text.slice(0, 40))
    return hang(line, response)
  }
  line.wordsSent = plan.words.length
  return finish(line, response, text)
}

/** @returns false when the gateway has gone. */
async function sendWords(line: InvoiceLine, response: ServerResponse, count: number): Promise<boolean> {
  for (const word of line.plan.words.slice(0, count)) {
    if (line.plan.pauseMs > 0) await wait(line.plan.pauseMs)
    if (response.destroyed) return false
    response.write(chunk(line, { content: word }))
    line.wordsSent++
  }
  return !response.destroyed
}

async function answerStream(line: InvoiceLine, response: ServerResponse): Promise<void> {
  const { plan } = line
  const { behaviour } = plan
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-generation-id': line.generationId })
  response.write(chunk(line, { role: 'assistant', content: '' }))
  const breaks = ['cut', 'silent_middle', 'error_frame', 'billed_error_frame'].includes(behaviour)
  const count = behaviour === 'empty' ? 0 : breaks ? plan.wordsBefore : plan.words.length
  if (!(await sendWords(line, response, count))) {
    line.wasLeft = true
    return
  }
  if (behaviour === 'cut') return void response.destroy()
  if (behaviour === 'silent_middle') return hang(line, response)
  if (breaks) return finish(line, response, errorFrame(line, behaviour === 'billed_error_frame'))
  const usage = hasUsage(plan)
    ? `data: {${envelope(line, 'chat.completion.chunk')},"choices":[],"usage":${usageJson(line)}}\n\n`
    : ''
  return finish(line, response, `${chunk(line, {}, 'stop')}${usage}data: [DONE]\n\n`)
}

async function answer(line: InvoiceLine, response: ServerResponse): Promise<void> {
  response.once('close', () => {
    if (!response.writableFinished) line.wasLeft = true
  })
  const { plan } = line
  if (plan.behaviour === 'silent_start') return hang(line, response)
  if (plan.behaviour === 'error_status') {
    const body = JSON.stringify({ error: { code: plan.status, message: 'The provider refused' } })
    return void response.writeHead(plan.status, { 'content-type': 'application/json' }).end(body)
  }
  return line.stream ? answerStream(line, response) : answerWhole(line, response)
}

/** `GET /generation?id=`: the first question comes too early, as with real upstreams. */
function tellCost(line: InvoiceLine | undefined, response: ServerResponse): void {
  if (line === undefined || line.lookUps++ < LOOK_UPS_IN_VAIN) return void response.writeHead(404).end('{}')
  const body = `{"data":{"id":"${line.generationId}","total_cost":${line.plan.costText}}}`
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
}

/** Starts it. */
export async function startInvoiceUpstream(seed: number): Promise<InvoiceUpstream> {
  const lines: InvoiceLine[] = []
  const byGeneration = new Map<string, InvoiceLine>()
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://upstream')
    if (url.pathname.endsWith('/generation'))
      return tellCost(byGeneration.get(url.searchParams.get('id') ?? ''), response)
    if (!url.pathname.endsWith('/chat/completions')) return void response.writeHead(404).end()
    const body = await readJson(request)
    const tag = findTag(JSON.stringify(body['messages'])) ?? -1
    const line: InvoiceLine = {
      ...{ generationId: `gen-${lines.length}`, tag, model: String(body['model']), stream: body['stream'] === true },
      ...{ plan: planAnswer(seed, tag), wordsSent: 0, isWhole: false, wasLeft: false, lookUps: 0 },
    }
    lines.push(line)
    byGeneration.set(line.generationId, line)
    await answer(line, response)
  }
  const server = createServer({ keepAliveTimeout: 5_000 }, (request, response) => {
    response.on('error', () => undefined)
    // A gateway that is killed while it sends leaves half a question: it is on no invoice.
    serve(request, response).catch(() => void response.destroy())
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    url: `${origin}/v1`,
    ...{ lines, close },
  }
}
