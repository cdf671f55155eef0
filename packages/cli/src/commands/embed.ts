/** Command about vectors. */
import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples, paidOptions, wholeNumber } from './define.ts'

export function embedCommand(start: Start) {
  return new Command('embed')
    .summary('turn texts into vectors')
    .description(
      'Turns each text into a vector and prints one line of JSON for each: its index, the text and the vector. ' +
        'Of what is piped, or of standard input for -, each line is a text; blank lines are left out.',
    )
    .argument('[text...]', 'texts, each in quotes; - for standard input')
    .option('-m, --model <id>', 'the model (default: the first embedding model, else text-embedding-3-small)')
    .option('-d, --dimensions <count>', 'length of the vectors, for models that can shorten theirs', wholeNumber)
    .addOption(paidOptions.maxCredits)
    .addOption(paidOptions.quote)
    .addHelpText(
      'after',
      examples(
        'svc embed "a cat on a bicycle" "a dog in a boat"',
        'svc embed - < lines.txt > vectors.jsonl',
        'svc embed --json --dimensions 256 "a cat" | jq .usage',
      ),
    )
    .action((texts, options, command) =>
      start(command, async (context) => (await import('../actions/embed.ts')).embed(context, texts, options)),
    )
}
