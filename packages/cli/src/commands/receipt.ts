import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { collect, examples } from './define.ts'

export function receiptCommand(start: Start) {
  return new Command('receipt')
    .summary('get the receipt of a charge, and check it offline')
    .description('A receipt proves what was booked, why it cost that much, and that it is in the signed ledger log.')
    .addCommand(
      new Command('get')
        .summary('get a receipt')
        .description('Prints the receipt of a request, a deposit, a grant or an adjustment as JSON.')
        .argument('<id>', 'of the request, the deposit, the grant or the adjustment')
        .addHelpText('after', examples('svc receipt get 0198… > receipt.json'))
        .action((id, _options, command) =>
          start(command, async (context) => (await import('../actions/receipt.ts')).getReceipt(context, id)),
        ),
    )
    .addCommand(
      new Command('verify')
        .summary('check receipts, without the gateway')
        .description(
          'Recomputes the charge from its prices, the leaf from the record, the root from the proof, and checks the ' +
            'signature. Receipts of one account are put in a line. Ends with 1 where one does not hold, with 2 where ' +
            'one is none.',
        )
        .argument('<file...>', 'receipts')
        .requiredOption(
          '-k, --key <key>',
          'a key that you trust, or a file with such keys; can be given again',
          collect,
        )
        .addHelpText('after', examples('svc receipt verify receipt.json --key log-key'))
        .action((files, options, command) =>
          start(command, async (context) =>
            (await import('../actions/receipt.ts')).verifyReceipts(context, files, options),
          ),
        ),
    )
}
