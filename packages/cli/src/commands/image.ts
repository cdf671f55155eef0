import { Command, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { collect, examples, paidOptions, wholeNumber } from './define.ts'

const FORMATS = ['png', 'jpeg', 'webp', 'svg'] as const

export function imageCommand(start: Start) {
  return new Command('image')
    .summary('make or change images')
    .description('Makes images, or changes those given with --image, and prints the names of their files.')
    .argument('[prompt...]', 'what it shows')
    .option('-m, --model <id>', 'the model (default: the first image model)')
    .option('-n, --count <count>', 'how many', wholeNumber, 1)
    .option('--size <pixels>', 'width and height, such as 1024x1024')
    .option('--quality <name>', 'such as low or high')
    .addOption(
      new Option('--format <format>', 'form of the file (default: as its name ends, else png)').choices(FORMATS),
    )
    .option('-i, --image <file>', 'image to change; can be repeated', collect)
    .option('-o, --output <file>', 'name of the file; - for standard output (default: by the time)')
    .option('--force', 'overwrite the file')
    .addOption(paidOptions.maxCredits)
    .addOption(paidOptions.quote)
    .addHelpText(
      'after',
      examples('svc image "A cat on a bicycle" -o cat.png', 'svc image -i cat.png "Now at night" -o night.png'),
    )
    .action((prompt, options, command) =>
      start(command, async (context) => (await import('../actions/image.ts')).image(context, prompt, options)),
    )
}
