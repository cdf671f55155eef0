/** What can complete a command line, found in the definitions of the commands. */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { SeenModel } from '../settings/model-cache.ts'
import { FILES } from './completion-script.ts'

const FILE_VALUE = /<(?:file|folder)>/

/** The kind of models that each command takes; null for all. A test compares it with the definitions. */
export const COMMAND_MODELS: Readonly<Record<string, string | null>> = {
  chat: 'text',
  image: 'image',
  video: 'video',
  speak: 'speech',
  transcribe: 'transcription',
  embed: 'embedding',
  login: 'text',
  price: null,
  usage: null,
  models: null,
  voices: 'speech',
}

/** What is not in the definitions: the models of a gateway, and the profiles of this machine. */
export interface Known {
  /** @param options the values of `--profile` and `--base-url` on the line. */
  readonly models: (options: LineOptions) => Promise<readonly SeenModel[]>
  readonly profiles: () => readonly string[]
}

export interface LineOptions {
  readonly profile?: string | undefined
  readonly baseUrl?: string | undefined
}

interface Line {
  /** The model that the line names. */
  readonly model: string | undefined
  readonly command: CommandUnknownOpts
  /** The option whose value comes next. */
  readonly pending: Option | null
  readonly options: LineOptions
}

/**
 * @param words everything after the program's name; the last is the one to complete and may be empty.
 * @returns candidates that begin as the last word does; the mark for files where a file is meant.
 */
export async function completions(root: CommandUnknownOpts, words: readonly string[], known: Known): Promise<string[]> {
  const last = words.at(-1) ?? ''
  const line = walk(root, words.slice(0, -1))
  const { command, pending } = line
  if (pending !== null) return valuesOf(line, pending, last, known)
  const [, long = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? []
  const named = valueOptionOf(command, long)
  if (named !== null) {
    const values = await valuesOf(line, named, value, known)
    return values.map((each) => (each === FILES ? FILES : `${long}=${each}`))
  }
  if (last.startsWith('-')) return optionsOf(command).filter((flag) => flag.startsWith(last))
  return wordsOf(line, last, known)
}

async function wordsOf({ command, options }: Line, last: string, known: Known): Promise<string[]> {
  // Without those that people never type, and without the help below a command, which is also at the top.
  const isTyped = (name: string): boolean => !name.startsWith('_') && (name !== 'help' || command.parent === null)
  const children = command.commands.map((child) => child.name()).filter(isTyped)
  const fromArgument = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  const fromElsewhere = await argumentsOf(command, options, known)
  const found = [...children, ...fromArgument, ...fromElsewhere].filter((name) => name.startsWith(last))
  return found.length === 0 && command.registeredArguments.some((argument) => /file/.test(argument.name()))
    ? [FILES]
    : found
}

/** Commands that take a model as a word of their own. */
const NAMES_MODEL: ReadonlySet<string> = new Set(['models', 'price', 'voices'])

async function argumentsOf(command: CommandUnknownOpts, options: LineOptions, known: Known) {
  if (NAMES_MODEL.has(command.name())) return modelsFor(command, options, known)
  return command.name() === 'use' ? known.profiles() : []
}

/** Follows the words into the commands. */
function walk(root: CommandUnknownOpts, words: readonly string[]): Line {
  let command = root
  let pending: Option | null = null
  const values = new Map<string | undefined, string>()
  for (const word of words) {
    if (pending !== null) {
      values.set(pending.long ?? undefined, word)
      pending = null
      continue
    }
    const [, long, value = ''] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
    if (long !== undefined) values.set(long, value)
    else if (word.startsWith('-')) pending = valueOptionOf(command, word)
    else command = command.commands.find((child) => child.name() === word) ?? command
  }
  const options = { profile: values.get('--profile'), baseUrl: values.get('--base-url') }
  return { command, pending, options, model: values.get('--model') }
}

function visibleOptions(command: CommandUnknownOpts): readonly Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...(command.parent === null ? [] : visibleOptions(command.parent))]
}

function valueOptionOf(command: CommandUnknownOpts, word: string): Option | null {
  const option = visibleOptions(command).find((each) => each.long === word || each.short === word)
  return option?.required === true ? option : null
}

function optionsOf(command: CommandUnknownOpts): string[] {
  return [...new Set(visibleOptions(command).flatMap((option) => (option.long == null ? [] : [option.long])))]
}

async function valuesOf(line: Line, option: Option, start: string, known: Known): Promise<string[]> {
  if (FILE_VALUE.test(option.flags)) return [FILES]
  const values = option.argChoices ?? (await namesFor(line, option, known))
  return values.filter((value) => value.startsWith(start))
}

async function namesFor({ command, options, model }: Line, { long }: Option, known: Known) {
  if (long === '--profile') return known.profiles()
  if (long === '--voice') {
    const speaking = (await known.models(options)).filter(({ id }) => model === undefined || id === model)
    return [...new Set(speaking.flatMap(({ voices = [] }) => voices))]
  }
  return long === '--model' ? modelsFor(command, options, known) : []
}

async function modelsFor(command: CommandUnknownOpts, options: LineOptions, known: Known): Promise<string[]> {
  const type = COMMAND_MODELS[command.name()] ?? null
  return (await known.models(options)).filter((model) => type === null || model.type === type).map(({ id }) => id)
}
