import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples, wholeNumber } from './define.ts'

export function historyCommand(start: Start) {
  return new Command('history')
    .summary('list what was asked on this machine')
    .description(
      'Lists conversations of the profile, the latest first. `svc chat -c` goes on with the last one.\n' +
        'They are kept in files that you alone can read, and only where a person asked; scripts leave none.',
    )
    .option('-n, --limit <count>', 'how many (default: 20)', wholeNumber)
    .addHelpText('after', examples('svc history', 'svc history show 20261130-162005-3fa2', 'svc history off'))
    .action((options, command) =>
      start(command, async (context) => (await import('../actions/history.ts')).listHistory(context, options)),
    )
    .addCommand(
      new Command('show')
        .summary('print a conversation')
        .description('Prints a conversation as Markdown, or its messages with --json.')
        .argument('<id>', 'the conversation')
        .action((id, _options, command) =>
          start(command, async (context) => (await import('../actions/history.ts')).showHistory(context, id)),
        ),
    )
    .addCommand(
      new Command('delete')
        .summary('delete conversations')
        .argument('<ids...>', 'the conversations')
        .action((ids, _options, command) =>
          start(command, async (context) => (await import('../actions/history.ts')).deleteHistory(context, ids)),
        ),
    )
    .addCommand(
      new Command('clear')
        .summary('delete all conversations of the profile')
        .description('Deletes all conversations of the profile, and the lines that the arrow keys bring back.')
        .action((_options, command) =>
          start(command, async (context) => (await import('../actions/history.ts')).clearHistory(context)),
        ),
    )
    .addCommand(
      new Command('off')
        .summary('keep no more conversations')
        .action((_options, command) =>
          start(command, async (context) => (await import('../actions/history.ts')).switchHistory(context, false)),
        ),
    )
    .addCommand(
      new Command('on')
        .summary('keep conversations')
        .action((_options, command) =>
          start(command, async (context) => (await import('../actions/history.ts')).switchHistory(context, true)),
        ),
    )
}
