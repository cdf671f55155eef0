/**
 * Command lines of programs that have options and no commands of their own: what there is, what it takes, and one line
 * for a person who typed something else.
 *
 * Commands with sub-commands (`admin`, `svc`) use the same parser directly, so all say a mistake in the same form.
 * Source: decision 0065.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'

/** Exit code of a program whose command line is wrong: nothing was begun. */
const WRONG_USAGE = 2

/** The longest whole number that is exact in every form. */
const WHOLE_NUMBER = /^\d{1,15}$/
const DECIMAL = /^\d{1,9}(\.\d{1,9})?$/

/** One option of a program. */
export interface ProgramOption<Value> {
  /** Name of what it takes, as help shows it; null for one that is only given or not. */
  readonly takes: string | null
  readonly help: string
  /** Calls `refuseValue` for what is not allowed. */
  readonly parse: (text: string) => Value
  /** Where it is not given. Absent means that it must be. */
  readonly otherwise?: Value
  /** What help shows as the default, where that is not the value itself. */
  readonly otherwiseText?: string
}

export type ProgramOptions = Readonly<Record<string, ProgramOption<unknown>>>

export interface Program<Options extends ProgramOptions> {
  /** What a person types before the options, such as `npm run soak --`. */
  readonly name: string
  readonly does: string
  readonly options: Options
  /** Shown behind the options; absent for nothing. */
  readonly more?: string
  /** What `--version` prints; absent for a program that has no such option. */
  readonly version?: string
}

/** The arguments of a program, by the names of its options. */
export type ValuesOf<Options extends ProgramOptions> = {
  readonly [Name in keyof Options]: Options[Name] extends ProgramOption<infer Value> ? Value : never
}

/** The program runs with these values, or has to end with this code after its text was printed. */
export type CommandLine<Values> =
  | { readonly kind: 'run'; readonly values: Values }
  | { readonly kind: 'end'; readonly exitCode: number }

/** Takes text without its line end. */
export interface CommandLineOutput {
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
}

interface Told {
  readonly help: string
}

/**
 * Refuses what an option was given.
 *
 * @param sentence what is allowed.
 * @throws {InvalidArgumentError} always; the parser says it with the option and the value.
 */
export function refuseValue(sentence: string): never {
  throw new InvalidArgumentError(sentence)
}

/** A whole number from `from` to `to`. */
export function wholeNumber(
  given: Told & { readonly otherwise: number; readonly from?: number; readonly to?: number },
): ProgramOption<number>
/** The same where nothing is a value, too: null. */
export function wholeNumber(
  given: Told & { readonly otherwise: null; readonly from?: number; readonly to?: number },
): ProgramOption<number | null>
export function wholeNumber({
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
  ...told
}: Told & { readonly otherwise: number | null; readonly from?: number; readonly to?: number }): ProgramOption<
  number | null
> {
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`
  return {
    ...told,
    takes: 'count',
    parse(text) {
      const value = WHOLE_NUMBER.test(text) ? Number(text) : -1
      if (value < from || value > to) refuseValue(`Give a whole number ${range}.`)
      return value
    },
  }
}

/** A decimal above 0, of at most `to`; null where it is not given. */
export function numberAboveZero({ to, ...told }: Told & { readonly to: number }): ProgramOption<number | null> {
  return {
    ...told,
    takes: 'number',
    otherwise: null,
    parse(text) {
      const value = DECIMAL.test(text) ? Number(text) : 0
      if (value <= 0 || value > to) refuseValue(`Give a number above 0, at most ${to}.`)
      return value
    },
  }
}

/** One of some words; the first is taken where none is given. */
export function oneOf<Word extends string>(words: readonly [Word, ...Word[]], { help }: Told): ProgramOption<Word> {
  return {
    ...{ help: `${help}: ${words.join(' or ')}`, takes: 'name', otherwise: words[0] },
    parse(text) {
      const word = words.find((each) => each === text)
      if (word === undefined) refuseValue(`Give ${words.join(' or ')}.`)
      return word
    },
  }
}

/** Any text but none; null where it is not given. */
export function someText(takes: string, { help }: Told): ProgramOption<string | null> {
  return { help, takes, otherwise: null, parse: parseText }
}

/** Any text but none; a program without it does not start. */
export function requiredText(takes: string, { help }: Told): ProgramOption<string> {
  return { help, takes, parse: parseText }
}

function parseText(text: string): string {
  if (text.trim() === '') refuseValue('Give what it is to be, or leave the option out.')
  return text
}

/** True where it is given. */
export function flag({ help }: Told): ProgramOption<boolean> {
  return { help, takes: null, otherwise: false, parse: () => true }
}

/**
 * Reads a command line. Whatever is wrong is one line on the output for errors, with the option, what was given and
 * what is allowed; `--help` prints every option.
 *
 * @param words the arguments after the program's name.
 */
export function parseProgram<const Options extends ProgramOptions>(
  program: Program<Options>,
  words: readonly string[],
  output: CommandLineOutput,
): CommandLine<ValuesOf<Options>> {
  const command = createCommand(program, output)
  try {
    command.parse([...words], { from: 'user' })
    const [unexpected] = command.args
    if (unexpected !== undefined) command.error(`error: unexpected argument '${unexpected}'`)
    refuseMissing(command, program.options)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'end', exitCode: error.exitCode === 0 ? 0 : WRONG_USAGE }
  }
  const values = command.options.map((option) => [option.long?.slice(2) ?? '', valueOf(command, option)] as const)
  return { kind: 'run', values: Object.fromEntries(values) as ValuesOf<Options> }
}

/** Looked at last: a misspelt option is reported as what it is, and not as the one that is missing. */
function refuseMissing(command: Command, options: ProgramOptions): void {
  for (const option of command.options) {
    const given = options[option.long?.slice(2) ?? '']
    const isRequired = given !== undefined && given.takes !== null && !('otherwise' in given)
    if (isRequired && valueOf(command, option) === null) command.error(`error: option '${option.flags}' is missing`)
  }
}

function valueOf(command: Command, option: Option): unknown {
  const value: unknown = command.getOptionValue(option.attributeName())
  // One of the form `--no-x` is kept as what it denies.
  if (option.negate) return value === false
  if (option.isBoolean()) return value === true
  return value ?? null
}

function createCommand(
  { name, does, options, more, version }: Program<ProgramOptions>,
  output: CommandLineOutput,
): Command {
  const command = new Command(name)
    .description(does)
    .usage(Object.keys(options).length === 0 ? '' : '[options]')
    .allowExcessArguments()
    .exitOverride()
    .helpOption('--help', 'show this and do nothing')
    .configureOutput({
      writeOut: (text) => output.print(text.trimEnd()),
      writeErr: (text) => output.printError(withHint(name, text)),
    })
  if (version !== undefined) command.version(version, '--version', 'print the version and do nothing')
  for (const [long, option] of Object.entries(options)) command.addOption(createOption(long, option))
  return more === undefined ? command : command.addHelpText('after', `\n${more}`)
}

function createOption(long: string, { takes, help, parse, ...given }: ProgramOption<unknown>): Option {
  if (takes === null) return new Option(`--${long}`, help)
  const option = new Option(`--${long} <${takes}>`, help).argParser(parse)
  const { otherwise = null, otherwiseText } = given
  const isShown = otherwise !== null || otherwiseText !== undefined
  return isShown ? option.default(otherwise, otherwiseText) : option
}

/** One line, and where to read what there is if the name itself was wrong. */
function withHint(name: string, text: string): string {
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .join(' ')
    .trim()
  return /unknown option|unexpected argument/.test(line) ? `${line}; "${helpOf(name)}" tells what there is` : line
}

function helpOf(name: string): string {
  return name.startsWith('npm ') && !name.endsWith(' --') ? `${name} -- --help` : `${name} --help`
}
