/**
 * The upstream of the rounds: it does the work of every kind, and keeps an invoice of its own of what it was asked and
 * what it delivered.
 */
import {
  EVENTS_TYPE,
  frame,
  JSON_TYPE,
  play,
  type ScriptedAnswer,
} from '../../../packages/server/testing/scripted-answer.ts'
import { IMAGE } from '../../../packages/server/testing/stub-images.ts'
import { VIDEO_START } from '../../../packages/server/testing/stub-video-upstream.ts'
import {
  chunkText,
  completionText,
  startStubUpstream,
  type StubCall,
  type StubHandler,
  type StubUsage,
  usageText,
} from '../../../packages/server/testing/stub-upstream.ts'
import { findTag } from '../answer-plan.ts'
import { isTalk, type PaidPlan } from './paid-plan.ts'

/** One line of the invoice. */
export interface PaidLine {
  readonly tag: number
  readonly plan: PaidPlan
  readonly generationId: string
  /** The answer's end was handed to the network; a video is made. */
  isWhole: boolean
}

/** How the upstream answers, and where it writes its invoice. */
export interface PaidBook {
  readonly planOf: (tag: number) => PaidPlan
  readonly lines: PaidLine[]
}

export interface PaidUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** Lines from now on belong to this book; those of jobs stay where they are. */
  open(book: PaidBook): void
  close(): Promise<void>
}

const AUDIO = Buffer.alloc(4_000, 0x55)
AUDIO.writeUInt16BE(0xff_fb, 0)
/** What was written has gone before the connection does. */
const CUT_AFTER_MS = 5

function usageOf({ plan }: PaidLine, completionTokens = plan.completionTokens): StubUsage {
  const { promptTokens } = plan
  return {
    ...{ prompt_tokens: promptTokens, completion_tokens: completionTokens },
    total_tokens: promptTokens + completionTokens,
  }
}

/** What an answer costs, in USD as decimal text. */
function usdOf({ plan }: PaidLine): string {
  return `0.${plan.costPico.toString().padStart(12, '0')}`
}

/** A member `usage` as JSON text, with the cost where the answer reports it. */
function usageMember(line: PaidLine): string {
  const cost = line.plan.behaviour === 'no_cost' ? '' : `"cost":${usdOf(line)},`
  return `"usage":{${cost}${JSON.stringify(usageOf(line, 0)).slice(1)}`
}

type Pieces = readonly (string | Buffer)[]

function talk(line: PaidLine, isStreamed: boolean): Pieces {
  const { words } = line.plan
  const names = { id: line.generationId, model: 'talks' }
  const [usage, cost] = [usageOf(line), usdOf(line)]
  if (!isStreamed) return [completionText({ text: words.join(''), usage, cost, more: names })]
  const chunks = words.map((content) => frame(chunkText({ content }, null, names)))
  return [...chunks, `${frame(chunkText({}, 'stop', names))}${frame(usageText(usage, cost, names))}${frame('[DONE]')}`]
}

function paint(line: PaidLine, isStreamed: boolean): Pieces {
  const image = `"b64_json":"${IMAGE}"`
  if (!isStreamed) return [`{"created":1,"data":[{${image}}],${usageMember(line)}}`]
  const partial = frame(`{"type":"image_generation.partial_image","partial_image_index":0,${image}}`)
  const last = frame(`{"type":"image_generation.completed",${image},${usageMember(line)}}`)
  return [partial, `${last}${frame('[DONE]')}`]
}

function hear(isStreamed: boolean): Pieces {
  if (!isStreamed) return ['{"text":"Hello there."}']
  return [
    frame('{"type":"transcript.text.delta","delta":"Hello there."}'),
    frame('{"type":"transcript.text.done","text":"Hello there."}'),
  ]
}

/** The pieces of an answer, each sent after a pause. */
function piecesOf(line: PaidLine, isStreamed: boolean): Pieces {
  const { kind } = line.plan
  if (isTalk(kind)) return talk(line, isStreamed)
  if (kind.startsWith('images')) return paint(line, isStreamed)
  if (kind.startsWith('transcription')) return hear(isStreamed)
  if (kind.startsWith('speech')) return [0, 1_000, 2_000, 3_000].map((start) => AUDIO.subarray(start, start + 1_000))
  if (kind === 'rerank') return [`{"results":[{"index":0,"relevance_score":0.5}],${usageMember(line)}}`]
  if (kind === 'moderation') {
    return [`{"results":[{"flagged":false,"categories":{},"category_scores":{}}],${usageMember(line)}}`]
  }
  const data = '"data":[{"object":"embedding","index":0,"embedding":[0.25,-0.5]}]'
  return [`{"object":"list",${data},${usageMember(line)}}`]
}

function answerOf(line: PaidLine, isStreamed: boolean): ScriptedAnswer {
  const { plan, generationId } = line
  if (plan.behaviour === 'error_status') {
    const error = JSON.stringify({ error: { code: plan.status, message: 'The provider refused' } })
    return { status: plan.status, pieces: [error] }
  }
  if (plan.kind === 'video')
    return { pieces: [JSON.stringify({ id: generationId, object: 'video', status: 'queued' })] }
  const pieces = piecesOf(line, isStreamed)
  const type = plan.kind.startsWith('speech') ? { 'content-type': 'audio/mpeg' } : isStreamed ? EVENTS_TYPE : JSON_TYPE
  const headers = { ...type, 'x-generation-id': generationId }
  const last = pieces.at(-1) ?? ''
  const before = pieces.length > 1 ? pieces.slice(0, -1).flatMap((piece) => [plan.pauseMs, piece]) : [plan.delayMs]
  if (plan.behaviour !== 'cut') return { headers, pieces: [...before, last] }
  return { headers, pieces: [...before, last.slice(0, last.length / 3), CUT_AFTER_MS], end: 'cut' }
}

const NOT_FOUND: ScriptedAnswer = { status: 404, pieces: ['{}'] }

/** What an answer has cost, for the question behind it. */
function costAnswer(line: PaidLine | undefined): ScriptedAnswer {
  if (line === undefined) return NOT_FOUND
  return { pieces: [`{"data":{"id":"${line.generationId}","total_cost":${usdOf(line)}}}`] }
}

interface Job {
  readonly line: PaidLine
  polls: number
}

function jobAnswer(job: Job | undefined, isContent: boolean): ScriptedAnswer {
  if (job === undefined) return NOT_FOUND
  if (isContent) return { headers: { 'content-type': 'video/mp4' }, pieces: [VIDEO_START, AUDIO] }
  const isDone = job.polls++ > 0
  const state = isDone ? `"status":"completed","usage":{"cost":${usdOf(job.line)}}` : '"status":"in_progress"'
  return { pieces: [`{"id":"${job.line.generationId}","object":"video",${state}}`] }
}

/** Starts it. */
export async function startPaidUpstream(): Promise<PaidUpstream> {
  const jobs = new Map<string, Job>()
  let book: PaidBook | null = null
  let lines = 0
  /** What is asked of an answer or a job that was given before; null for a new question. */
  const lookUp = ({ path }: StubCall): ScriptedAnswer | null => {
    const [, id = '', content] = /\/videos\/([^/]+)(\/content)?/.exec(path) ?? []
    if (id !== '') return jobAnswer(jobs.get(id), content !== undefined)
    const [, asked] = /\/generation\?id=([^&]+)/.exec(path) ?? []
    if (asked === undefined) return null
    return costAnswer(book?.lines.find((line) => line.generationId === asked))
  }
  const handler: StubHandler = async (call, response) => {
    const known = lookUp(call)
    if (known !== null) return void (await play(response, known))
    const tag = findTag(call.body.toString('latin1'))
    if (call.method !== 'POST' || tag === null || book === null) return void response.writeHead(404).end()
    const plan = book.planOf(tag)
    const isMade = plan.kind === 'video' && plan.behaviour !== 'error_status'
    const line: PaidLine = { tag, plan, generationId: `gen-${tag}-${lines++}`, isWhole: isMade }
    book.lines.push(line)
    if (plan.kind === 'video') jobs.set(line.generationId, { line, polls: 0 })
    const end = await play(response, answerOf(line, call.wantsStream))
    if (plan.kind !== 'video') line.isWhole = end === 'whole' && plan.behaviour !== 'error_status'
  }
  const { url, close } = await startStubUpstream({ handler })
  return { url, open: (opened) => void (book = opened), close }
}
