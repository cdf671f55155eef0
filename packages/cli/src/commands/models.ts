import { Command, Option } from '@commander-js/extra-typings'
import { modelTypes } from '@svc/contract/kinds'
import type { Start } from '../start.ts'
import { examples } from './define.ts'

export function modelsCommand(start: Start) {
  return new Command('models')
    .summary('find models and their prices')
    .description('Lists the models whose id or name has all words. Prices are in credits and include the margin.')
    .argument('[words...]', 'what to look for')
    .addOption(new Option('-t, --type <type>', 'only this kind').choices(modelTypes))
    .option('-f, --featured', 'only the aliases')
    .addOption(new Option('--sort <by>', 'order').choices(['name', 'price', 'context'] as const))
    .addHelpText('after', examples('svc models claude', 'svc models --type image', 'svc models --sort price --json'))
    .action((words, options, command) =>
      start(command, async (context) => (await import('../actions/models.ts')).models(context, words, options)),
    )
}
