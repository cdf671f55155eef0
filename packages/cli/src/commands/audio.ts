/** Commands about audio. */
import { Command, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { decimal, examples, paidOptions } from './define.ts'

/** Forms of audio that a model can speak in. A test compares them with the contract's. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
/** Forms of a transcript that are of use in a terminal. */
const TRANSCRIPT_FORMATS = ['text', 'srt', 'vtt', 'json', 'verbose_json'] as const

export function speakCommand(start: Start) {
  return new Command('speak')
    .summary('speak a text into a file')
    .description('Speaks a text, or what is piped into it, and prints the name of the file.')
    .argument('[text...]', 'what to say')
    .option('-m, --model <id>', 'the model (default: the first speech model)')
    .option('--voice <name>', 'a voice of the model; `svc voices` lists them')
    .addOption(
      new Option('--format <format>', 'form of the audio (default: as the name ends, else mp3)').choices(
        SPEECH_FORMATS,
      ),
    )
    .option('--speed <number>', '0.25 to 4', decimal)
    .option('-o, --output <file>', 'name of the file; - for standard output (default: by the time)')
    .option('--force', 'overwrite the file')
    .addOption(paidOptions.maxCredits)
    .addOption(paidOptions.quote)
    .addHelpText(
      'after',
      examples('svc speak "Good morning" -o morning.mp3', 'svc speak --format wav -o - < story.txt | aplay'),
    )
    .action((text, options, command) =>
      start(command, async (context) => (await import('../actions/speak.ts')).speak(context, text, options)),
    )
}

export function voicesCommand(start: Start) {
  return new Command('voices')
    .summary('list the voices of models that speak')
    .description('Lists the models that speak and their voices; of one model, a voice a line, its usual one first.')
    .argument('[model]', 'only this model')
    .addHelpText('after', examples('svc voices', 'svc voices openrouter/openai/gpt-4o-mini-tts'))
    .action((model, _options, command) =>
      start(command, async (context) => (await import('../actions/voices.ts')).voices(context, model)),
    )
}

export function transcribeCommand(start: Start) {
  return new Command('transcribe')
    .summary('write down what is said in a file')
    .description('Prints the transcript of an audio file. With --json it has segments with their times.')
    .argument('<file>', 'flac, mp3, mp4, m4a, ogg, wav or webm, at most 25 MiB')
    .option('-m, --model <id>', 'the model (default: the first transcription model)')
    .addOption(
      new Option('--format <format>', 'form of the text (default: as the name ends, else text)').choices(
        TRANSCRIPT_FORMATS,
      ),
    )
    .option('--language <code>', 'language that is spoken, such as en')
    .option('--prompt <text>', 'names and words that come up in it')
    .option('--translate', 'translate into English')
    .option('-o, --output <file>', 'write it to a file')
    .option('--force', 'overwrite the file')
    .addOption(paidOptions.maxCredits)
    .addOption(paidOptions.quote)
    .option('-d, --duration <seconds>', 'how long it is, for --quote', decimal)
    .addHelpText(
      'after',
      examples(
        'svc transcribe talk.mp3',
        'svc transcribe talk.mp3 --format srt -o talk.srt',
        'svc transcribe talk.mp3 --quote --duration 90',
      ),
    )
    .action((file, options, command) =>
      start(command, async (context) => (await import('../actions/transcribe.ts')).transcribe(context, file, options)),
    )
}
