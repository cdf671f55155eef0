/** What can stand at the end of a command line, found in the definitions of the commands. */
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { FILES } from './completion-script.ts'

const FILE_VALUE = /<(?:file|folder)>/

/**
 * @param words everything after the program's name; the last is the one to complete and may be empty.
 * @returns candidates that begin as the last word does; the mark for files where a file is meant.
 */
export function completions(root: CommandUnknownOpts, words: readonly string[]): string[] {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { command, pending } = walk(root, before)
  if (pending !== null) return valuesOf(pending, last)
  if (last.startsWith('-')) return optionsOf(command).filter((flag) => flag.startsWith(last))
  // Those that people never type, and the help below a command, which stands at the top, too.
  const isTyped = (name: string): boolean => !name.startsWith('_') && (name !== 'help' || command.parent === null)
  const children = command.commands.map((child) => child.name()).filter(isTyped)
  const fromArgument = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  const found = [...children, ...fromArgument].filter((name) => name.startsWith(last))
  return found.length === 0 && command.registeredArguments.some((argument) => /file/.test(argument.name()))
    ? [FILES]
    : found
}

/** Follows the words into the commands; `pending` is the option whose value comes next. */
function walk(
  root: CommandUnknownOpts,
  words: readonly string[],
): { readonly command: CommandUnknownOpts; readonly pending: Option | null } {
  let command = root
  let pending: Option | null = null
  for (const word of words) {
    if (pending !== null) {
      pending = null
      continue
    }
    if (word.startsWith('-')) pending = valueOptionOf(command, word)
    else command = command.commands.find((child) => child.name() === word) ?? command
  }
  return { command, pending }
}

function visibleOptions(command: CommandUnknownOpts): readonly Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...(command.parent === null ? [] : help.visibleOptions(command.parent))]
}

function valueOptionOf(command: CommandUnknownOpts, word: string): Option | null {
  const option = visibleOptions(command).find((each) => each.long === word || each.short === word)
  return option?.required === true ? option : null
}

function optionsOf(command: CommandUnknownOpts): string[] {
  return [...new Set(visibleOptions(command).flatMap((option) => (option.long == null ? [] : [option.long])))]
}

function valuesOf(option: Option, start: string): string[] {
  if (option.argChoices !== undefined) return option.argChoices.filter((choice) => choice.startsWith(start))
  return FILE_VALUE.test(option.flags) ? [FILES] : []
}
