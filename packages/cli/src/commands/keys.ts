import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples } from './define.ts'

export function keysCommand(start: Start) {
  return new Command('keys')
    .summary('make keys of another gateway valid here')
    .description('Keys are made and revoked in the console. A key with the right `keys` can mirror others.')
    .addCommand(
      new Command('mirror')
        .summary('make a key of another gateway valid here')
        .description('Reads the key from a pipe. It shares account, team and budget of the key in use.')
        .argument('<name>', 'what people call it')
        .addHelpText('after', examples('svc keys mirror laptop < key-file'))
        .action((name, _options, command) =>
          start(command, async (context) => (await import('../actions/keys.ts')).mirrorKey(context, name)),
        ),
    )
}
