import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { collect, examples, wholeNumber } from './define.ts'

const EVERY_SECONDS = 60

export function logCommand(start: Start) {
  return new Command('log')
    .summary('watch the ledger log')
    .description('The ledger log has every line of every account, signed. Who keeps its checkpoints sees a change.')
    .addCommand(
      new Command('watch')
        .summary('keep checkpoints and check that each extends those before')
        .description(
          'Fetches the newest checkpoint, checks its signature with a key that you trust, and by the tiles that the log ' +
            'begins with everything that was signed before. Keys and checkpoints are kept in a file for each gateway. Ends ' +
            'with 1 as soon as something does not hold, with 2 where something is no checkpoint.',
        )
        .argument('[file...]', 'checkpoints or receipts of other people, to which the log must lead as well')
        .option(
          '-k, --key <key>',
          'a key that you trust, or a file with such keys; can be given again, and is kept',
          collect,
        )
        .option('--once', 'look once, for cron')
        .option('--every <seconds>', 'look so often', wholeNumber, EVERY_SECONDS)
        .option('--file <file>', 'where keys and checkpoints are kept')
        .addHelpText(
          'after',
          examples(
            'svc log watch --key log-key',
            'svc log watch --once -q',
            'svc log watch --once a-friends-receipt.json',
          ),
        )
        .action((files, options, command) =>
          start(command, async (context) =>
            (await import('../actions/log.ts')).watchLedgerLog(context, files, options),
          ),
        ),
    )
    .addCommand(
      new Command('key')
        .summary('print the keys that the gateway names')
        .description(
          'Prints the keys that sign the log, the present one first. Compare them with what the operator says.',
        )
        .addHelpText('after', examples('svc log key > log-key'))
        .action((_options, command) =>
          start(command, async (context) => (await import('../actions/log.ts')).printLogKeys(context)),
        ),
    )
}
