/** The commands inside a conversation. */
import { open } from 'node:fs/promises'
import { ownMember, type ChatMessage } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { creditsText, creditsTextOf } from '../credits-text.ts'
import { conversationMarkdown } from '../history/conversation.ts'
import { attachFile } from './attach.ts'
import type { Session } from './session.ts'

interface SlashCommand {
  readonly name: string
  /** What it takes, for the help; empty for nothing. */
  readonly takes: string
  readonly help: string
  /** @returns false to end the conversation. */
  readonly run: (session: Session, rest: string) => Promise<boolean>
}

const commands: readonly SlashCommand[] = [
  { name: 'model', takes: '[ID]', help: 'change the model, or show it', run: changeModel },
  { name: 'system', takes: '[TEXT]', help: 'set the system prompt; without a text remove it', run: changeSystem },
  { name: 'attach', takes: 'FILE', help: 'attach an image, PDF, recording or text to the next question', run: attach },
  { name: 'retry', takes: '', help: 'ask the last question again', run: retry },
  { name: 'clear', takes: '', help: 'forget the conversation', run: clear },
  { name: 'save', takes: 'FILE', help: 'write the conversation to a new file, as Markdown', run: save },
  { name: 'cost', takes: '', help: 'what this conversation cost, and what is left', run: showCost },
  { name: 'help', takes: '', help: 'show this list', run: showHelp },
  { name: 'quit', takes: '', help: 'end the conversation', run: () => Promise.resolve(false) },
]

const SHORT_FORMS: Readonly<Record<string, string>> = { exit: 'quit', q: 'quit', '?': 'help', image: 'attach' }

/**
 * Runs a line that begins with a slash.
 *
 * @returns false when the user ended the conversation.
 * @throws {CommandError} when there is no such command, or it cannot do what it is asked.
 */
export async function runSlashCommand(session: Session, line: string): Promise<boolean> {
  const [, typed = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? []
  const name = ownMember(SHORT_FORMS, typed) ?? typed
  const command = commands.find((each) => each.name === name)
  if (command === undefined) throw new CommandError(`There is no command /${typed}. /help shows them.`)
  if (rest === '' && command.takes !== '' && !command.takes.startsWith('[')) {
    throw new CommandError(`/${command.name} needs ${command.takes}.`)
  }
  return command.run(session, rest)
}

/**
 * Lines that begin as a line does: the commands, and the models of the gateway behind `/model`. Nothing is a failure.
 */
export async function completeSlash(context: Context, line: string): Promise<readonly string[]> {
  if (!line.startsWith('/')) return []
  const [, id] = /^\/model +(\S*)$/.exec(line) ?? []
  if (id === undefined) return begun(line)
  const { knownModels } = await import('../completion/known-models.ts')
  const models = await knownModels(context, context.settings(), Date.now()).catch(() => [])
  return models.filter((each) => each.type === 'text' && each.id.startsWith(id)).map((each) => `/model ${each.id}`)
}

/** The commands that begin so, with a blank behind those that take something. */
function begun(line: string): readonly string[] {
  const lines = commands.map(({ name, takes }) => (takes === '' ? `/${name}` : `/${name} `))
  return lines.filter((each) => each.startsWith(line))
}

async function changeModel({ state, api, note }: Session, id: string): Promise<boolean> {
  if (id !== '') {
    const model = await api.client.call(api.endpoints.getModel, { path: { id } })
    state.question = { ...state.question, model: model.id }
  }
  await note(`Model: ${state.question.model}`)
  return true
}

async function changeSystem({ state, note }: Session, text: string): Promise<boolean> {
  const others = state.question.messages.filter((message) => message.role !== 'system')
  const system: readonly ChatMessage[] = text === '' ? [] : [{ role: 'system', content: text }]
  state.question = { ...state.question, messages: [...system, ...others] }
  await note(text === '' ? 'No system prompt.' : 'System prompt set.')
  return true
}

async function attach({ state, note }: Session, file: string): Promise<boolean> {
  state.attached = [...state.attached, await attachFile(file)]
  await note(`${file} goes with the next question.`)
  return true
}

async function retry(session: Session): Promise<boolean> {
  const { state } = session
  if (state.last === null) throw new CommandError('Nothing was asked yet.')
  const index = state.question.messages.lastIndexOf(state.last)
  if (index >= 0) state.question = { ...state.question, messages: state.question.messages.slice(0, index) }
  await session.ask(state.last)
  return true
}

async function clear({ state, note }: Session): Promise<boolean> {
  const messages = state.question.messages.filter((message) => message.role === 'system')
  state.question = { ...state.question, messages }
  await note('Forgotten.')
  return true
}

async function save({ state, note }: Session, file: string): Promise<boolean> {
  const text = conversationMarkdown(state.question.messages)
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(text)
    } finally {
      await handle.close()
    }
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    throw new CommandError(exists ? `${file} exists already.` : `${file} cannot be written.`, { cause })
  }
  await note(`Saved to ${file}.`)
  return true
}

async function showCost({ state, api, note }: Session): Promise<boolean> {
  const balance = await api.client.call(api.endpoints.getBalance)
  await note(`Spent here: ${creditsTextOf(state.spent)}. Left: ${creditsText(balance.credits_available)}.`)
  return true
}

async function showHelp({ note }: Session): Promise<boolean> {
  const rows = commands.map(({ name, takes, help }) => `  ${`/${name} ${takes}`.padEnd(18)}${help}`)
  await note(
    [...rows, '', 'A line that ends in \\ goes on in the next; """ begins and ends a block of lines.'].join('\n'),
  )
  return true
}
