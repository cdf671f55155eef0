/** A conversation in the terminal: questions, answers, and commands that begin with a slash. */
import { nanocreditsFrom, nanocreditsOf, ZERO, type ChatMessage } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import type { Context } from '../context.ts'
import { explainError } from '../explain-error.ts'
import { keepsHistory, type Keep } from '../history/keep-conversation.ts'
import { WordWrap } from '../terminal/word-wrap.ts'
import { styled } from '../terminal/style.ts'
import { keepImages } from './answer-images.ts'
import { type Answer, type AskProgress, askStreaming, type Question, withAnswer, withMessages } from './ask.ts'
import { chargeNote } from './charge-note.ts'
import { interruptedCharge } from './interrupted-charge.ts'
import { type LineReader, openLineReader } from './line-reader.ts'
import type { Session, SessionState } from './session.ts'
import { completeSlash, runSlashCommand } from './slash-commands.ts'
import { type ToolCall, toolResult } from './tool-calls.ts'

const GREETING = 'Type a question. /help shows the commands, Ctrl-D ends.'

/** Rounds of calls and results after one question. Source: own choice. */
const TOOL_ROUNDS_MAX = 16

/** Runs until the user ends it. */
export async function startSession(
  context: Context,
  api: ApiConnection,
  { start, keep }: { readonly start: Question; readonly keep: Keep },
): Promise<void> {
  const { terminal } = context
  const state: SessionState = { question: start, attached: [], spent: ZERO, last: null }
  const note = (text: string): Promise<void> => terminal.notes.line(text)
  const folder = keepsHistory(context) ? context.settingsFolder : null
  const reader = openLineReader(terminal, folder, (line) => completeSlash(context, line))
  const session: Session = {
    context,
    api,
    state,
    note,
    keep,
    ask: (message) => askAndRun(session, reader, message),
  }
  await note(`${start.model} at ${api.settings.baseUrl}. ${GREETING}`)
  try {
    for (;;) {
      const text = await reader.read(`${state.question.model} › `)
      if (text === null) return
      if (!(await take(session, text))) return
    }
  } finally {
    reader.close()
  }
}

/** @returns false when the user ended the conversation. */
async function take(session: Session, text: string): Promise<boolean> {
  if (text.trim() === '') return true
  try {
    if (text.startsWith('/')) return await runSlashCommand(session, text.trim())
    const { userMessage } = await import('./attach.ts')
    const message = userMessage(text, session.state.attached)
    session.state.attached = []
    await session.ask(message)
  } catch (error) {
    await tell(session, error)
  }
  return true
}

/** A failure ends the question, not the conversation. */
async function tell(session: Session, error: unknown): Promise<void> {
  const explained = explainError(error)
  if (explained === null && !(error instanceof Error && error.name === 'CommandError')) throw error
  const message = explained?.message ?? (error as Error).message
  await session.note(`${message}${explained?.advice == null ? '' : `\n${explained.advice}`}`)
}

/** Asks, and goes on while the model calls tools and the user says what they give. */
async function askAndRun(session: Session, reader: LineReader, message: ChatMessage): Promise<void> {
  const { state } = session
  state.last = message
  let next: readonly ChatMessage[] = [message]
  for (let round = 0; round < TOOL_ROUNDS_MAX; round += 1) {
    const before = state.question
    const question = withMessages(before, next)
    const calls = await reader.whileAnswering((signal) => answer(session, question, signal))
    if (calls.length > 0) {
      const results = await askResults(session, reader, calls)
      // A question with calls that nobody answered cannot be gone on with.
      if (results === null) {
        state.question = before
        return
      }
      next = results
      continue
    }
    await session.keep(state.question)
    return
  }
  await session.note(`The model called tools ${TOOL_ROUNDS_MAX} times. Ask it to go on.`)
}

/** @returns null when the user gives none. */
async function askResults(
  { note }: Session,
  reader: LineReader,
  calls: readonly ToolCall[],
): Promise<readonly ChatMessage[] | null> {
  const results: ChatMessage[] = []
  for (const call of calls) {
    await note(`${call.function.name}(${call.function.arguments})`)
    const text = await reader.read(`result of ${call.function.name} › `)
    if (text === null) return null
    results.push(toolResult(call.id, text))
  }
  return results
}

/** @returns what the model wants to have run. */
async function answer(session: Session, question: Question, signal: AbortSignal): Promise<readonly ToolCall[]> {
  const { context, api, state } = session
  const { out, notes } = context.terminal
  const progress: AskProgress = { text: '', requestId: null }
  const words = new WordWrap(out)
  let toolCalls: readonly ToolCall[] = []
  // Of an answer that was stopped, the model could not read its reasoning again.
  let reasoning: readonly object[] = []
  try {
    const onText = (text: string): Promise<void> => words.text(text)
    let answered: Answer
    try {
      answered = await askStreaming(api, question, { signal, progress, onText })
    } finally {
      await words.end()
    }
    toolCalls = answered.toolCalls
    reasoning = answered.reasoning
    await out.text(answered.text.endsWith('\n') ? '' : '\n')
    // The terminal is not asked whether it shows images: what it says would be read as the next question.
    await keepImages(context, answered.images, { now: new Date(), protocol: null })
    if (answered.charge !== null) {
      state.spent = nanocreditsOf(state.spent + nanocreditsFrom(answered.charge.credits_charged))
    }
    await notes.bytes(`${styled(notes, 'dim', chargeNote(question.model, answered))}\n\n`)
  } catch (error) {
    if (!signal.aborted) {
      if (/[^\n]$/.test(progress.text)) await out.text('\n')
      throw error
    }
    await notes.line(`\n${await interruptedCharge(api, progress.requestId)}`)
  }
  // What came is part of the conversation, also where it was stopped: the next question may speak of it.
  if (progress.text !== '' || toolCalls.length > 0) {
    state.question = withAnswer(question, { text: progress.text, toolCalls, reasoning })
  }
  return toolCalls
}
