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
    .addCommand(walletsCommand(start))
}

function walletsCommand(start: Start) {
  return new Command('wallets')
    .summary('list and link the wallets that pay')
    .description(
      'Lists the wallets of your account, for gateways where all pay to one address: there a payment belongs to the\n' +
        'account that has linked the wallet. A link needs a signature of the wallet under a message of the gateway.',
    )
    .addHelpText(
      'after',
      examples(
        'svc deposit wallets',
        'svc deposit wallets challenge 0xf39F… > message',
        'svc deposit wallets link 0x1c4e… < message',
        'svc deposit wallets unlink 0xf39F…',
      ),
    )
    .action((_options, command) =>
      start(command, async (context) => (await import('../actions/wallets.ts')).listWallets(context)),
    )
    .addCommand(
      new Command('challenge')
        .summary('get the message that a wallet has to sign')
        .addArgument(new Argument('<address>', 'the wallet'))
        .addOption(new Option('--chain <id>', 'network').argParser(chain).default(MAIN_CHAIN as 4663 | 46630))
        .action((address, options, command) =>
          start(command, async (context) =>
            (await import('../actions/wallets.ts')).challengeWallet(context, address, options),
          ),
        ),
    )
    .addCommand(
      new Command('link')
        .summary('link a wallet by its signature')
        .description('Reads the message of the challenge from a pipe.')
        .addArgument(new Argument('<signature>', 'of the wallet under the message, by personal_sign'))
        .action((signature, _options, command) =>
          start(command, async (context) => (await import('../actions/wallets.ts')).linkWallet(context, signature)),
        ),
    )
    .addCommand(
      new Command('unlink')
        .summary('unlink a wallet')
        .addArgument(new Argument('<wallet>', 'its address or id'))
        .action((wallet, _options, command) =>
          start(command, async (context) => (await import('../actions/wallets.ts')).unlinkWallet(context, wallet)),
        ),
    )
}
