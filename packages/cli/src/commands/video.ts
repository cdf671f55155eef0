import { Command, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples, paidOptions, wholeNumber } from './define.ts'

export function videoCommand(start: Start) {
  return new Command('video')
    .summary('make a video')
    .description(
      'Submits a video, waits until it is made, and prints the name of its file. It is charged when it is done.\n' +
        'An interrupt leaves the job running; --job takes it up again.',
    )
    .argument('[prompt...]', 'what it shows')
    .option('-m, --model <id>', 'the model (default: the first video model)')
    .option('-d, --duration <seconds>', 'how long it is', wholeNumber)
    .option('--size <pixels>', 'width and height, such as 1280x720')
    .option('--resolution <name>', 'such as 720p')
    .option('-i, --image <file>', 'image that it begins with')
    .addOption(new Option('--job <id>', 'take up a job that was submitted before').conflicts(['maxCredits', 'quote']))
    .option('--no-wait', 'submit it, print its id, and end')
    .option('-o, --output <file>', 'name of the file; - for standard output (default: by the time)')
    .option('--force', 'overwrite the file')
    .addOption(paidOptions.maxCredits)
    .addOption(paidOptions.quote)
    .addHelpText(
      'after',
      examples(
        'svc video "A cat on a bicycle" -d 5 -o cat.mp4',
        'svc video --quote -d 10 "A sunrise"',
        'svc video --no-wait "A sunrise"',
        'svc video --job 0198…',
      ),
    )
    .action((prompt, options, command) =>
      start(command, async (context) => (await import('../actions/video.ts')).video(context, prompt, options)),
    )
}
