/**
 * In which form a file is made: as its name says, or as an option of the command says. They never contradict each
 * other.
 */
import path from 'node:path'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { STANDARD_OUTPUT } from './output-file.ts'

/** Forms of one kind of file: each with the endings of its names, the usual one first. */
export type FileFormats<Format extends string> = Readonly<Record<Format, readonly string[]>>

export const imageFormats = {
  png: ['png'],
  jpeg: ['jpg', 'jpeg', 'jpe', 'jfif'],
  webp: ['webp'],
  svg: ['svg'],
} as const
export const speechFormats = {
  mp3: ['mp3'],
  opus: ['opus', 'ogg', 'oga'],
  aac: ['aac'],
  flac: ['flac'],
  wav: ['wav', 'wave'],
  pcm: ['pcm', 'raw'],
} as const
export const videoFormats = { mp4: ['mp4', 'm4v'] } as const

export interface FormatWish<Format extends string> {
  /** As the user wrote it; undefined where the name is ours to choose. */
  readonly output: string | undefined
  /** What was asked for beside the name. */
  readonly format: Format | undefined
  readonly usual: Format
}

/**
 * The form to ask for. A name without an ending, and standard output, leave it open.
 *
 * @throws {CommandError} when the ending of the name is that of another form, or of one that is not made.
 */
export function outputFormat<Format extends string>(
  formats: FileFormats<Format>,
  { output, format, usual }: FormatWish<Format>,
): Format {
  const ending = output === undefined || output === STANDARD_OUTPUT ? '' : endingOf(output)
  if (ending === '') return format ?? usual
  const named = (Object.keys(formats) as Format[]).find((each) => formats[each].includes(ending))
  if (named !== undefined && (format === undefined || format === named)) return named
  throw refusal(formats, { output: output ?? '', ending, format })
}

/** `v1.2` has no ending that says a form: one begins with a letter and is short. */
function endingOf(name: string): string {
  const ending = path.extname(name).slice(1).toLowerCase()
  return /^[a-z][a-z0-9]{0,4}$/.test(ending) ? ending : ''
}

function refusal<Format extends string>(
  formats: FileFormats<Format>,
  { output, ending, format }: { readonly output: string; readonly ending: string; readonly format: Format | undefined },
): CommandError {
  const known = Object.values<readonly string[]>(formats).flatMap(([usual]) => `.${usual ?? ''}`)
  const end = known.length === 1 ? `ends in ${known.join('')}` : `ends in one of ${known.join(', ')}`
  const [message, advice] =
    format === undefined
      ? [`Nothing is made in the form that .${ending} says.`, `Give a name that ${end}.`]
      : [
          `${output} does not look like ${format}.`,
          `Give a name that ends in .${formats[format][0] ?? format}, or leave --format away.`,
        ]
  return new CommandError(`${message} Nothing was charged.`, { advice, exitCode: exitCodes.wrongUsage })
}
