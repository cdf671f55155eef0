/**
 * The upstream of the rounds: it does the work of every kind, and keeps an invoice of its own of what it was asked and
 * what it delivered.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { PICTURE } from '../../../packages/server/testing/stub-images.ts'
import { listenOnLoopback } from '../../../packages/server/testing/loopback-server.ts'
import { findTag } from '../answer-plan.ts'
import type { PaidKind } from './paid-kinds.ts'
import { isTalk, type PaidPlan, planPaid } from './paid-plan.ts'

/** One line of the invoice. */
export interface PaidLine {
  readonly tag: number
  readonly plan: PaidPlan
  readonly generationId: string
  /** The answer's end was handed to the network; a video is made. */
  isWhole: boolean
}

/** How the upstream answers tags from `tagsFrom` on. */
export interface PaidBook {
  readonly seed: number
  readonly kindOf: (tag: number) => PaidKind
  readonly lines: PaidLine[]
}

export interface PaidUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** Lines from now on belong to this book; those of jobs stay where they are. */
  open(book: PaidBook): void
  close(): Promise<void>
}

const CREATED = 1_795_813_200
const SOUND = Buffer.alloc(4_000, 0x55)
SOUND.writeUInt16BE(0xff_fb, 0)
const EVENTS = { 'content-type': 'text/event-stream' } as const

function usageText({ plan }: PaidLine, completionTokens = plan.completionTokens): string {
  const cost = plan.behaviour === 'no_cost' ? '' : `"cost":0.${plan.costPico.toString().padStart(12, '0')},`
  const total = plan.promptTokens + completionTokens
  return `{${cost}"prompt_tokens":${plan.promptTokens},"completion_tokens":${completionTokens},"total_tokens":${total}}`
}

function envelope(line: PaidLine, object: string): string {
  return `"id":"${line.generationId}","object":"${object}","created":${CREATED},"model":"talks"`
}

function chunk(line: PaidLine, delta: object, finishReason: string | null = null): string {
  const choices = JSON.stringify([{ index: 0, delta, finish_reason: finishReason }])
  return `data: {${envelope(line, 'chat.completion.chunk')},"choices":${choices}}\n\n`
}

/** The pieces of an answer, each sent after a pause. */
interface Answer {
  readonly type: string
  readonly pieces: readonly (string | Buffer)[]
}

function talk(line: PaidLine, isStreamed: boolean): Answer {
  const { words } = line.plan
  if (isStreamed) {
    const usage = `data: {${envelope(line, 'chat.completion.chunk')},"choices":[],"usage":${usageText(line)}}\n\n`
    const end = `${chunk(line, {}, 'stop')}${usage}data: [DONE]\n\n`
    return { type: EVENTS['content-type'], pieces: [...words.map((word) => chunk(line, { content: word })), end] }
  }
  const message = JSON.stringify({ role: 'assistant', content: words.join('') })
  const choices = `[{"index":0,"finish_reason":"stop","message":${message}}]`
  const body = `{${envelope(line, 'chat.completion')},"choices":${choices},"usage":${usageText(line)}}`
  return { type: 'application/json', pieces: [body] }
}

function paint(line: PaidLine, isStreamed: boolean): Answer {
  const usage = `"usage":${usageText(line, 0)}`
  const picture = `"b64_json":"${PICTURE}"`
  if (!isStreamed) return { type: 'application/json', pieces: [`{"created":1,"data":[{${picture}}],${usage}}`] }
  const partial = `data: {"type":"image_generation.partial_image","partial_image_index":0,${picture}}\n\n`
  const last = `data: {"type":"image_generation.completed",${picture},${usage}}\n\ndata: [DONE]\n\n`
  return { type: EVENTS['content-type'], pieces: [partial, last] }
}

function hear(isStreamed: boolean): Answer {
  if (!isStreamed) return { type: 'application/json', pieces: ['{"text":"Hello there."}'] }
  const delta = 'data: {"type":"transcript.text.delta","delta":"Hello there."}\n\n'
  return {
    type: EVENTS['content-type'],
    pieces: [delta, 'data: {"type":"transcript.text.done","text":"Hello there."}\n\n'],
  }
}

function answerOf(line: PaidLine, isStreamed: boolean): Answer {
  const { kind } = line.plan
  if (isTalk(kind)) return talk(line, isStreamed)
  if (kind.startsWith('images')) return paint(line, isStreamed)
  if (kind.startsWith('transcription')) return hear(isStreamed)
  if (kind.startsWith('speech')) {
    const parts = [0, 1_000, 2_000, 3_000].map((start) => SOUND.subarray(start, start + 1_000))
    return { type: 'audio/mpeg', pieces: parts }
  }
  const data = '"data":[{"object":"embedding","index":0,"embedding":[0.25,-0.5]}]'
  return { type: 'application/json', pieces: [`{"object":"list",${data},"usage":${usageText(line, 0)}}`] }
}

async function answer(line: PaidLine, body: string, response: ServerResponse): Promise<void> {
  const { plan } = line
  if (plan.behaviour === 'error_status') {
    const error = JSON.stringify({ error: { code: plan.status, message: 'The provider refused' } })
    return void response.writeHead(plan.status, { 'content-type': 'application/json' }).end(error)
  }
  if (plan.kind === 'video') {
    line.isWhole = true
    const job = JSON.stringify({ id: line.generationId, object: 'video', status: 'queued' })
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(job)
  }
  const isStreamed = /"stream":true|name="stream"/.test(body)
  const { type, pieces } = answerOf(line, isStreamed)
  const [pauseMs, delayMs] = pieces.length > 1 ? [plan.pauseMs, 0] : [0, plan.delayMs]
  await wait(delayMs)
  response.writeHead(200, { 'content-type': type, 'x-generation-id': line.generationId })
  for (const piece of pieces.slice(0, -1)) {
    await wait(pauseMs)
    if (response.destroyed) return
    response.write(piece)
  }
  const last = pieces.at(-1) ?? ''
  if (plan.behaviour === 'cut') {
    response.write(last.slice(0, last.length / 3))
    await wait(5)
    return void response.destroy()
  }
  response.once('finish', () => void (line.isWhole = true))
  response.end(last)
}

/** What an answer has cost, for whoever asks behind it. */
function tellCost(line: PaidLine | undefined, response: ServerResponse): void {
  if (line === undefined) return void response.writeHead(404).end('{}')
  const cost = line.plan.costPico.toString().padStart(12, '0')
  const body = `{"data":{"id":"${line.generationId}","total_cost":0.${cost}}}`
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

interface Job {
  readonly line: PaidLine
  polls: number
}

function answerJob(job: Job | undefined, isContent: boolean, response: ServerResponse): void {
  if (job === undefined) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  if (isContent) return void response.writeHead(200, { 'content-type': 'video/mp4' }).end(SOUND)
  const { line } = job
  const cost = line.plan.costPico.toString().padStart(12, '0')
  const isDone = job.polls++ > 0
  const state = isDone ? `"status":"completed","usage":{"cost":0.${cost}}` : '"status":"in_progress"'
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(`{"id":"${line.generationId}","object":"video",${state}}`)
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const part of request) chunks.push(part as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}

/** Starts it. */
export async function startPaidUpstream(): Promise<PaidUpstream> {
  const jobs = new Map<string, Job>()
  let book: PaidBook | null = null
  let lines = 0
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => undefined)
    const path = request.url ?? ''
    const [, id = '', content] = /\/videos\/([^/]+)(\/content)?/.exec(path) ?? []
    if (id !== '') return answerJob(jobs.get(id), content !== undefined, response)
    const [, asked] = /\/generation\?id=([^&]+)/.exec(path) ?? []
    if (asked !== undefined)
      return tellCost(
        book?.lines.find((line) => line.generationId === asked),
        response,
      )
    const body = await readText(request)
    const tag = findTag(body)
    if (request.method !== 'POST' || tag === null || book === null) return void response.writeHead(404).end()
    const plan = planPaid(book.kindOf(tag), book.seed, tag)
    const line: PaidLine = { tag, plan, generationId: `gen-${tag}-${lines++}`, isWhole: false }
    book.lines.push(line)
    if (plan.kind === 'video') jobs.set(line.generationId, { line, polls: 0 })
    await answer(line, body, response)
  }
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    // A gateway that is killed while it sends leaves half a question: it is on no invoice.
    serve(request, response).catch(() => void response.destroy())
  })
  const { origin, close } = await listenOnLoopback(server)
  return { url: `${origin}/v1`, open: (opened) => void (book = opened), close }
}
