/**
 * The upstream of the chaos run. It keeps an invoice of its own: what it was asked, what it sent, and what it
 * wants for it.
 */
import {
  EVENTS_TYPE,
  frame,
  JSON_TYPE,
  play,
  type ScriptedAnswer,
} from '../../packages/server/testing/scripted-answer.ts'
import {
  chunkText,
  completionText,
  startStubUpstream,
  type StubHandler,
  usageText,
} from '../../packages/server/testing/stub-upstream.ts'
import { type AnswerPlan, findTag, planAnswer } from './answer-plan.ts'

/** One line of the invoice. */
export interface InvoiceLine {
  readonly generationId: string
  readonly tag: number
  readonly model: string
  readonly stream: boolean
  readonly plan: AnswerPlan
  /** The answer's end, usage included where planned, was handed to the network. */
  isWhole: boolean
  /** How often its cost was asked for. */
  lookUps: number
}

export interface InvoiceUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  readonly lines: readonly InvoiceLine[]
  close(): Promise<void>
}

/** A cost can be looked up this many times in vain before it is known. */
const LOOK_UPS_IN_VAIN = 1
/** What was written has gone before the connection does. */
const CUT_AFTER_MS = 5

/** What the answers of a line have in common. */
function namesOf({ generationId, model }: InvoiceLine) {
  return { id: generationId, model }
}

/** The usage that it reports; null where it reports none, or what it has cost later. */
function usageOf({ behaviour, promptTokens, completionTokens }: AnswerPlan) {
  if (behaviour === 'no_usage' || behaviour === 'late_cost') return null
  const total = promptTokens + completionTokens
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total }
}

function costOf({ reportsCost, costText }: AnswerPlan): string | undefined {
  return reportsCost ? costText : undefined
}

function wholeAnswer(line: InvoiceLine): ScriptedAnswer {
  const { plan } = line
  const content = plan.behaviour === 'empty' ? '' : plan.words.join('')
  const text = completionText({ text: content, usage: usageOf(plan), cost: costOf(plan), more: namesOf(line) })
  const headers = { ...JSON_TYPE, 'x-generation-id': line.generationId }
  const pauseMs = plan.pauseMs * 3
  if (plan.behaviour === 'cut' || plan.behaviour.endsWith('frame')) {
    const sent = text.slice(0, Math.floor((text.length * (plan.wordsBefore + 1)) / (plan.words.length + 2)))
    return { headers, pieces: [pauseMs, sent, CUT_AFTER_MS], end: 'cut' }
  }
  if (plan.behaviour === 'silent_middle') return { headers, pieces: [pauseMs, text.slice(0, 40)], end: 'silence' }
  return { headers, pieces: [pauseMs, text] }
}

/** The last frames of a stream that does not break off. */
function lastFrames(line: InvoiceLine): string {
  const { plan } = line
  const [usage, cost, names] = [usageOf(plan), costOf(plan), namesOf(line)]
  if (plan.behaviour.endsWith('error_frame')) {
    const error = { ...names, error: { code: 502, message: 'Provider failed' } }
    const isBilled = plan.behaviour === 'billed_error_frame' && usage !== null
    return frame(isBilled ? usageText(usage, cost, { ...error, choices: undefined }) : JSON.stringify(error))
  }
  const told = usage === null ? '' : frame(usageText(usage, cost, names))
  return `${frame(chunkText({}, 'stop', names))}${told}${frame('[DONE]')}`
}

function streamedAnswer(line: InvoiceLine): ScriptedAnswer {
  const { plan } = line
  const { behaviour } = plan
  const headers = { ...EVENTS_TYPE, 'x-generation-id': line.generationId }
  const breaks = ['cut', 'silent_middle', 'error_frame', 'billed_error_frame'].includes(behaviour)
  const count = behaviour === 'empty' ? 0 : breaks ? plan.wordsBefore : plan.words.length
  const pieces = [
    frame(chunkText({ role: 'assistant', content: '' }, null, namesOf(line))),
    ...plan.words
      .slice(0, count)
      .flatMap((content) => [plan.pauseMs, frame(chunkText({ content }, null, namesOf(line)))]),
  ]
  if (behaviour === 'cut') return { headers, pieces, end: 'cut' }
  if (behaviour === 'silent_middle') return { headers, pieces, end: 'silence' }
  return { headers, pieces: [...pieces, lastFrames(line)] }
}

function answerOf(line: InvoiceLine): ScriptedAnswer {
  const { behaviour, status } = line.plan
  if (behaviour === 'silent_start') return { pieces: [], end: 'silence' }
  if (behaviour === 'error_status') {
    return { status, pieces: [JSON.stringify({ error: { code: status, message: 'The provider refused' } })] }
  }
  return line.stream ? streamedAnswer(line) : wholeAnswer(line)
}

/** `GET /generation?id=`: the first question comes too early, as with real upstreams. */
function costAnswer(line: InvoiceLine | undefined): ScriptedAnswer {
  if (line === undefined || line.lookUps++ < LOOK_UPS_IN_VAIN) return { status: 404, pieces: ['{}'] }
  return { pieces: [`{"data":{"id":"${line.generationId}","total_cost":${line.plan.costText}}}`] }
}

/** Starts it. */
export async function startInvoiceUpstream(seed: number): Promise<InvoiceUpstream> {
  const lines: InvoiceLine[] = []
  const handler: StubHandler = async ({ path, json }, response) => {
    const [, asked] = /\/generation\?id=([^&]+)/.exec(path) ?? []
    if (asked !== undefined) {
      await play(response, costAnswer(lines.find(({ generationId }) => generationId === asked)))
      return
    }
    if (json === null || !path.endsWith('/chat/completions')) return void response.writeHead(404).end()
    const tag = findTag(JSON.stringify(json['messages'])) ?? -1
    const line: InvoiceLine = {
      ...{ generationId: `gen-${lines.length}`, tag, model: String(json['model']), stream: json['stream'] === true },
      ...{ plan: planAnswer(seed, tag), isWhole: false, lookUps: 0 },
    }
    lines.push(line)
    const end = await play(response, answerOf(line))
    line.isWhole = end === 'whole' && line.plan.behaviour !== 'error_status'
  }
  const { url, close } = await startStubUpstream({ handler })
  return { url, lines, close }
}
