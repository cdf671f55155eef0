import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { keyRights, type KeyRight } from '@svc/contract/kinds'
import type { Start } from '../start.ts'
import { collect, examples } from './define.ts'

/** @throws {InvalidArgumentError} when it is no list of rights. */
function rightsList(text: string): KeyRight[] {
  const words = text.split(',').map((word) => word.trim())
  const rights = keyRights.filter((right) => words.includes(right))
  if (words.every((word) => rights.some((right) => right === word))) return rights
  throw new InvalidArgumentError(`Expected some of ${keyRights.join(', ')}, with commas between them.`)
}

export function keysCommand(start: Start) {
  return new Command('keys')
    .summary('list, make and revoke keys')
    .description(
      'Keys that are made here follow the key in use: they spend from its budget and end with it. Keys with budgets of\n' +
        'their own are made in the console.',
    )
    .addCommand(
      new Command('list')
        .summary('list the key in use and those that follow it')
        .addHelpText('after', examples('svc keys list', 'svc keys list --json | jq .data[].id'))
        .action((_options, command) =>
          start(command, async (context) => (await import('../actions/keys.ts')).listKeys(context)),
        ),
    )
    .addCommand(createCommand(start))
    .addCommand(
      new Command('revoke')
        .summary('end a key for good')
        .description('Ends a key that follows the key in use, with what follows it; or the key in use itself.')
        .argument('<id>', 'the key; `svc keys list` shows ids')
        .action((id, _options, command) =>
          start(command, async (context) => (await import('../actions/keys.ts')).revokeKey(context, id)),
        ),
    )
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

function createCommand(start: Start) {
  return new Command('create')
    .summary('make a key that follows the key in use')
    .description('Prints the new key, once. The key in use needs the right `keys`.')
    .argument('<name>', 'what people call it')
    .option('--expires <time>', 'when it ends: a span such as 30d, or a date')
    .option('-m, --model <id>', 'only this model; can be repeated', collect)
    .option('--rights <list>', 'what it may do: inference, deposits, keys (default: inference)', rightsList)
    .addHelpText('after', examples('svc keys create ci --expires 30d', 'svc keys create demo -m svc-gpt > key-file'))
    .action((name, options, command) =>
      start(command, async (context) => (await import('../actions/keys.ts')).createKey(context, name, options)),
    )
}
