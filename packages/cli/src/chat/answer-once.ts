/** Asks one question and prints its answer: as text, or as the API's JSON. */
import type { FetchResponse } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import type { Keep } from '../history/keep-conversation.ts'
import { imageProtocol } from '../images/show-image.ts'
import { exactJson, printJson } from '../print-json.ts'
import { WordWrap } from '../terminal/word-wrap.ts'
import { keepImages } from './answer-images.ts'
import {
  type Answer,
  type AskProgress,
  askStreaming,
  askWhole,
  bodyOf,
  type Question,
  type Said,
  withAnswer,
} from './ask.ts'
import { chargeNote } from './charge-note.ts'
import { interruptedCharge } from './interrupted-charge.ts'
import { ReasoningCollector } from './reasoning-details.ts'
import { type ToolCall, ToolCallCollector, toolCallForPrograms } from './tool-calls.ts'

interface Asking {
  readonly question: Question
  readonly progress: AskProgress
  /** Undefined when the user did not choose. */
  readonly stream: boolean | undefined
}

/**
 * A pipe gets whole JSON and text as it comes; what the user chose wins.
 *
 * @throws {CommandError} when the answer was to follow a schema and is no JSON.
 */
export async function answerOnce(
  context: Context,
  api: ApiConnection,
  { question, stream, keep }: Omit<Asking, 'progress'> & { readonly keep: Keep },
): Promise<void> {
  const progress: AskProgress = { text: '', requestId: null }
  const asking: Asking = { question, progress, stream }
  let said: Said
  try {
    said = await (context.options.json === true ? answerJson(context, api, asking) : answerText(context, api, asking))
  } catch (error) {
    if (context.terminal.signal.aborted) await reportInterrupted(context, api, progress)
    else if (context.options.json !== true && /[^\n]$/.test(progress.text)) await context.terminal.out.text('\n')
    throw error
  }
  await keep(withAnswer(question, said))
  if (question.schema !== null && said.toolCalls.length === 0) checkJson(said.text)
}

function checkJson(text: string): void {
  try {
    JSON.parse(text)
  } catch (cause) {
    throw new CommandError('The answer is no JSON.', {
      advice: 'The model may know no schemas, or may have been cut short: try another one, or a higher --max-tokens.',
      cause,
    })
  }
}

async function answerText(
  context: Context,
  api: ApiConnection,
  { question, progress, stream = true }: Asking,
): Promise<Said> {
  const { terminal } = context
  const words = new WordWrap(terminal.out)
  const ask = { signal: terminal.signal, progress, onText: (text: string) => words.text(text) }
  let answer: Answer
  try {
    answer = stream ? await askStreaming(api, question, ask) : (await askWhole(api, question, ask)).answer
    if (!stream) await words.text(answer.text)
  } finally {
    // Also what came before it broke off.
    await words.end()
  }
  const isSilent = answer.text === '' && (answer.images.length > 0 || answer.toolCalls.length > 0)
  if (!answer.text.endsWith('\n') && !isSilent) await terminal.out.text('\n')
  await printCalls(context, answer.toolCalls)
  if (answer.images.length > 0) {
    const protocol = await imageProtocol(terminal)
    await keepImages(context, answer.images, { now: new Date(), protocol })
  }
  if (context.options.quiet !== true) await terminal.notes.line(chargeNote(question.model, answer))
  return answer
}

/** One line of JSON for each, for the program that runs them. */
async function printCalls({ terminal, options }: Context, calls: readonly ToolCall[]): Promise<void> {
  for (const call of calls) await terminal.out.line(JSON.stringify(toolCallForPrograms(call)))
  const [first] = calls
  if (first === undefined || options.quiet === true || !terminal.out.isTerminal) return
  await terminal.notes.line(`Run it, and go on with: svc chat -c --tool-result ${first.id}=TEXT`)
}

async function answerJson(
  context: Context,
  api: ApiConnection,
  { question, progress, stream = false }: Asking,
): Promise<Said> {
  const { terminal } = context
  if (!stream) {
    const { reply, answer } = await askWhole(api, question, {
      signal: terminal.signal,
      progress,
      onText: () => Promise.resolve(),
    })
    await printJson(terminal.out, reply)
    return answer
  }
  const call = {
    signal: terminal.signal,
    onResponse: (response: Pick<FetchResponse, 'headers'>) => {
      progress.requestId = response.headers.get('x-request-id')
    },
  }
  const body = { ...bodyOf(question), stream_options: { include_usage: true } }
  const calls = new ToolCallCollector()
  const reasoning = new ReasoningCollector()
  let text = ''
  for await (const event of api.client.stream(api.endpoints.createChatCompletion, { body }, call)) {
    const delta = event.choices[0]?.delta
    text += delta?.content ?? delta?.refusal ?? ''
    calls.take(delta)
    reasoning.take(delta)
    await terminal.out.line(exactJson(event, 0))
  }
  return { text, toolCalls: calls.calls(), reasoning: reasoning.details() }
}

async function reportInterrupted(context: Context, api: ApiConnection, progress: AskProgress): Promise<void> {
  if (context.options.quiet === true) return
  const lead = progress.text === '' || progress.text.endsWith('\n') ? '' : '\n'
  await context.terminal.notes.line(lead + (await interruptedCharge(api, progress.requestId)))
}
