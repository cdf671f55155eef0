import { Command, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples } from './define.ts'

/** Kinds of models. A test compares them with the contract's. */
export const MODEL_TYPES = ['text', 'embedding', 'image', 'video', 'speech', 'transcription'] as const

export function modelsCommand(start: Start) {
  return new Command('models')
    .summary('find models and their prices')
    .description('Lists the models whose id or name has all words. Prices are in credits and include the margin.')
    .argument('[words...]', 'what to look for')
    .addOption(new Option('-t, --type <type>', 'only this kind').choices(MODEL_TYPES))
    .option('-f, --featured', 'only the aliases')
    .addOption(new Option('--sort <by>', 'order').choices(['name', 'price', 'context'] as const))
    .addHelpText('after', examples('svc models claude', 'svc models --type image', 'svc models --sort price --json'))
    .action((words, options, command) =>
      start(command, async (context) => (await import('../actions/models.ts')).models(context, words, options)),
    )
}
