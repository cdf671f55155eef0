/** A conversation in the terminal: questions, answers, and commands that begin with a slash. */
import { nanocreditsFrom, nanocreditsOf, ZERO, type ChatMessage } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import type { Context } from '../context.ts'
import { explainError } from '../explain-error.ts'
import { WordWrap } from '../terminal/word-wrap.ts'
import { styled } from '../terminal/style.ts'
import { keepImages } from './answer-images.ts'
import { type Answer, type AskProgress, askStreaming, type Question } from './ask.ts'
import { chargeNote } from './charge-note.ts'
import { interruptedCharge } from './interrupted-charge.ts'
import { openLineReader } from './line-reader.ts'
import type { Session, SessionState } from './session.ts'
import { completeSlash, runSlashCommand } from './slash-commands.ts'

const GREETING = 'Type a question. /help shows the commands, Ctrl-D ends.'

/** Runs until the user ends it. */
export async function startSession(context: Context, api: ApiConnection, start: Question): Promise<void> {
  const { terminal } = context
  const state: SessionState = { question: start, images: [], spent: ZERO, last: null }
  const note = (text: string): Promise<void> => terminal.notes.line(text)
  const reader = openLineReader(terminal, context.settingsFolder, (line) => completeSlash(context, line))
  const session: Session = {
    context,
    api,
    state,
    note,
    ask: (message) => reader.whileAnswering((signal) => answer(session, message, signal)),
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
    const message = userMessage(text, session.state.images)
    session.state.images = []
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

async function answer(session: Session, message: ChatMessage, signal: AbortSignal): Promise<void> {
  const { context, api, state } = session
  const { out, notes } = context.terminal
  const progress: AskProgress = { text: '', requestId: null }
  const question: Question = { ...state.question, messages: [...state.question.messages, message] }
  state.last = message
  const words = new WordWrap(out)
  try {
    const onText = (text: string): Promise<void> => words.text(text)
    let answered: Answer
    try {
      answered = await askStreaming(api, question, { signal, progress, onText })
    } finally {
      await words.end()
    }
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
  if (progress.text === '') return
  state.question = { ...question, messages: [...question.messages, { role: 'assistant', content: progress.text }] }
}
