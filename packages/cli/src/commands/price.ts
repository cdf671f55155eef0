import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples, wholeNumber } from './define.ts'

export function priceCommand(start: Start) {
  return new Command('price')
    .summary('show what a request costs at most, before it is made')
    .description(
      'Asks the gateway for the bound of a request. Nothing is spent. What is to be given depends on the\n' +
        'model: a prompt for a chat, a text for speech, settings for images and videos, a length for recordings.',
    )
    .argument('[model]', 'the model, unless --model names it')
    .argument('[text...]', 'the prompt or text; or what is piped')
    .option('-m, --model <id>', 'the model; every word is text then')
    .option('--max-tokens <count>', 'most tokens of an answer (default: what the model answers at most)', wholeNumber)
    .option('-n, --count <count>', 'how many images', wholeNumber)
    .option('--size <pixels>', 'size of an image, such as 1024x1024')
    .option('--quality <name>', 'quality of an image, such as low or high')
    .option('--images <count>', 'images that are given, to be changed or to begin with', wholeNumber)
    .option('-d, --duration <seconds>', 'length of a video or of a recording', wholeNumber)
    .option('--resolution <name>', 'resolution of a video, such as 720p')
    .option('--audio', 'a video with audio')
    .option('--no-audio', 'a video without audio')
    .addHelpText(
      'after',
      examples(
        'svc price svc-claude --max-tokens 500 "Hello"',
        'svc price svc-gpt < notes.txt',
        'svc price svc-image -n 4 --quality high',
        'svc price -m openrouter/alibaba/wan-2.7 -d 10 --resolution 1080p',
      ),
    )
    .action((first, rest, options, command) => {
      const { model = first } = options
      if (model === undefined) return command.error('error: name a model, as the first word or with --model')
      const text = options.model === undefined || first === undefined ? rest : [first, ...rest]
      return start(command, async (context) => {
        const { price } = await import('../actions/price.ts')
        const chosen = command.getOptionValueSource('audio') === 'cli' ? options.audio : undefined
        await price(context, text, { ...options, model, audio: chosen })
      })
    })
}
