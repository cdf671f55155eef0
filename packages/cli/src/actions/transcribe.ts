/** `svc transcribe`: audio becomes text. */
import path from 'node:path'
import type { CallableEndpoint } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { creditsText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { inputFile } from '../files/input-file.ts'
import { type OutputFile, reserveFile } from '../files/output-file.ts'
import { defaultModel } from '../default-model.ts'

type TranscriptFormat = 'text' | 'srt' | 'vtt' | 'json' | 'verbose_json'

export interface TranscribeOptions {
  readonly model?: string | undefined
  /** Undefined leaves it to the name of the file. */
  readonly format?: TranscriptFormat | undefined
  readonly language?: string | undefined
  readonly prompt?: string | undefined
  readonly translate?: boolean | undefined
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

export async function transcribe(context: Context, name: string, options: TranscribeOptions): Promise<void> {
  const { terminal } = context
  const format = formatOf(context, options)
  const audio = await inputFile(name)
  const api = await context.api()
  const model = options.model ?? (await defaultModel(api, 'transcription', terminal.signal))
  const file = await outputOf(context, options)
  try {
    const form = {
      // The model comes before the audio, so that the gateway can refuse it before it has read all of the audio.
      model,
      response_format: format,
      ...(options.language === undefined ? {} : { language: options.language }),
      ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
      file: audio,
    } as const
    const reply = await api.client.open(rowOf(api, options), { form }, { signal: terminal.signal })
    await file.write(reply.bytes)
    if (context.options.quiet === true) return
    const charged = reply.headers.get('x-svc-credits-charged')
    const charge = charged === null ? 'charge unknown' : `${creditsText(charged)} (by the length of the audio)`
    await terminal.notes.line(`${file.name === null ? '' : `${file.name} · `}${charge} · ${model}`)
  } catch (error) {
    await file.discard()
    throw error
  }
}

/**
 * Names of subtitles and of JSON say their form; any other name holds text.
 *
 * @throws {CommandError} when the name says another form than the one that was asked for.
 */
function formatOf({ options: { json } }: Context, { output, format }: TranscribeOptions): TranscriptFormat {
  const wish = json === true ? 'verbose_json' : format
  const ending = path.extname(output ?? '').toLowerCase()
  const named = FORMATS_BY_ENDING[ending]
  if (named === undefined || wish === undefined) return wish ?? named ?? 'text'
  if (wish === named || (named === 'json' && wish === 'verbose_json')) return wish
  throw new CommandError(`${output ?? ''} does not look like ${wish}. Nothing was charged.`, {
    advice: 'Give another name, or leave --format away.',
    exitCode: exitCodes.wrongUsage,
  })
}

const FORMATS_BY_ENDING: Readonly<{ [ending: string]: TranscriptFormat }> = {
  '.txt': 'text',
  '.srt': 'srt',
  '.vtt': 'vtt',
  '.json': 'json',
}

/** The same form goes to both; a translation takes no language, since it always ends in English. */
function rowOf(
  { endpoints }: ApiConnection,
  options: TranscribeOptions,
): CallableEndpoint & {
  readonly request: (typeof endpoints.createTranscription)['request']
} {
  return options.translate === true
    ? { ...endpoints.createTranscription, ...pathOf(endpoints.createTranslation) }
    : endpoints.createTranscription
}

function pathOf({ id, path }: CallableEndpoint): Pick<CallableEndpoint, 'id' | 'path'> {
  return { id, path }
}

/** Without a name the text goes to standard output, whole at the end of the line. */
function outputOf({ terminal }: Context, options: TranscribeOptions): Promise<OutputFile> {
  if (options.output !== undefined) {
    return reserveFile(options.output, { force: options.force === true, out: terminal.out })
  }
  const decoder = new TextDecoder()
  return Promise.resolve({
    name: null,
    discard: () => Promise.resolve(),
    write: async (bytes) => {
      let text = ''
      for await (const chunk of bytes) text += decoder.decode(chunk, { stream: true })
      await terminal.out.text(text.endsWith('\n') ? text : `${text}\n`)
      return text.length
    },
  })
}
