import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples, wholeNumber } from './define.ts'

export function priceCommand(start: Start) {
  return new Command('price')
    .summary('show what a chat costs at most, before it is asked')
    .description('Calculates the bound of a chat from the price list. Nothing is spent.')
    .argument('[prompt...]', 'the text; or what is piped')
    .requiredOption('-m, --model <id>', 'the model')
    .option('--max-tokens <count>', 'most tokens of the answer (default: what the model answers at most)', wholeNumber)
    .addHelpText(
      'after',
      examples('svc price -m svc-claude --max-tokens 500 "Hello"', 'svc price -m svc-gpt < notes.txt'),
    )
    .action((prompt, options, command) =>
      start(command, async (context) => (await import('../actions/price.ts')).price(context, prompt, options)),
    )
}
