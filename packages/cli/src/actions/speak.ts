/** `svc speak`: a text becomes audio. */
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { countText } from '../count-text.ts'
import { creditsText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { reserveFile, timedName } from '../files/output-file.ts'
import { outputFormat, speechFormats } from '../files/output-format.ts'
import { defaultModel } from '../default-model.ts'
import { printJson } from '../print-json.ts'
import { readText } from '../terminal/read-input.ts'

export interface SpeakOptions {
  readonly model?: string | undefined
  readonly voice?: string | undefined
  /** Undefined leaves it to the name of the file. */
  readonly format?: keyof typeof speechFormats | undefined
  readonly speed?: number | undefined
  readonly output?: string | undefined
  readonly force?: boolean | undefined
}

export async function speak(context: Context, words: readonly string[], options: SpeakOptions): Promise<void> {
  const { terminal } = context
  const { signal } = terminal
  const api = await context.api()
  const text = await readText(words, terminal.input)
  if (text === null || text.trim() === '') {
    throw new CommandError('There is nothing to say.', {
      advice: 'Give a text: svc speak "…", or pipe one into it.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const format = outputFormat(speechFormats, { output: options.output, format: options.format, usual: 'mp3' })
  const model = options.model ?? (await defaultModel(api, 'speech', signal))
  const name = options.output ?? timedName('speech', format, new Date())
  const file = await reserveFile(name, { force: options.force === true, out: terminal.out })
  try {
    const body = {
      model,
      input: text,
      response_format: format,
      ...(options.voice === undefined ? {} : { voice: options.voice }),
      ...(options.speed === undefined ? {} : { speed: options.speed }),
    }
    const reply = await api.client.open(api.endpoints.createSpeech, { body }, { signal })
    const bytes = await file.write(reply.bytes)
    const charged = reply.headers.get('x-svc-credits-charged')
    await tell(context, { file: file.name, model, bytes, credits_charged: charged })
  } catch (error) {
    await file.discard()
    throw error
  }
}

interface Spoken {
  readonly file: string | null
  readonly model: string
  readonly bytes: number
  readonly credits_charged: string | null
}

async function tell({ terminal, options }: Context, spoken: Spoken): Promise<void> {
  if (options.json === true && spoken.file !== null) {
    await printJson(terminal.out, spoken)
    return
  }
  // A script that asked for no name wants to know the one that was chosen.
  if (spoken.file !== null) await terminal.out.line(spoken.file)
  if (options.quiet === true) return
  const charge = spoken.credits_charged === null ? 'charge unknown' : creditsText(spoken.credits_charged)
  await terminal.notes.line(`${charge} · ${spoken.model} · ${countText(spoken.bytes)} bytes`)
}
