import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples, wholeNumber } from './define.ts'

const ASSETS = ['USDG', 'ETH'] as const
const MAIN_CHAIN = 4663
const TEST_CHAIN = 46630

/** @throws {InvalidArgumentError} when it is no network on which deposits arrive. */
function chain(text: string): typeof MAIN_CHAIN | typeof TEST_CHAIN {
  if (text === String(MAIN_CHAIN)) return MAIN_CHAIN
  if (text === String(TEST_CHAIN)) return TEST_CHAIN
  throw new InvalidArgumentError(`Expected ${MAIN_CHAIN}, or ${TEST_CHAIN} for its test network.`)
}

export function depositCommand(start: Start) {
  return new Command('deposit')
    .summary('buy credits: where to pay, and what came of it')
    .description('Credits are bought with USDG or ETH. A payment is credited by itself; a claim tells how far it is.')
    .addCommand(
      new Command('address')
        .summary('show where to pay')
        .description('Shows the addresses of your account, with a QR code for a wallet.')
        .addOption(new Option('--asset <asset>', 'only this').choices(ASSETS))
        .option('--chain <id>', 'only this network', chain)
        .option('--no-qr', 'no QR code')
        .action((options, command) =>
          start(command, async (context) => (await import('../actions/deposit.ts')).depositAddress(context, options)),
        ),
    )
    .addCommand(
      new Command('claim')
        .summary('claim a payment and wait until it is credited')
        .description('Claims a payment by its transaction. The same claim may be made any number of times.')
        .addArgument(new Argument('<transaction>', 'hash of the transaction'))
        .addOption(new Option('--asset <asset>', 'what was paid').choices(ASSETS).default('USDG' as const))
        .addOption(new Option('--chain <id>', 'network').argParser(chain).default(MAIN_CHAIN as 4663 | 46630))
        .option('--no-wait', 'say how far it is, and end')
        .addHelpText('after', examples('svc deposit claim 0x5f2c… --asset ETH'))
        .action((transaction, options, command) =>
          start(command, async (context) =>
            (await import('../actions/deposit.ts')).claimDeposit(context, transaction, options),
          ),
        ),
    )
    .addCommand(
      new Command('list')
        .summary('list the payments')
        .option('-n, --limit <count>', 'how many', wholeNumber)
        .action((options, command) =>
          start(command, async (context) => (await import('../actions/deposit.ts')).listDeposits(context, options)),
        ),
    )
}
