/** Commands about who pays: balance, identity, usage. */
import { Command, Option } from '@commander-js/extra-typings'
import { usageStatuses, usageTypes } from '@svc/contract/kinds'
import type { Start } from '../start.ts'
import { examples, wholeNumber } from './define.ts'

export function balanceCommand(start: Start) {
  return new Command('balance')
    .summary('show what there is to spend')
    .description('Shows the available credits, what is on hold, and the budget of the key.')
    .addHelpText('after', examples('svc balance', 'svc balance --json | jq .credits_available'))
    .action((_options, command) =>
      start(command, async (context) => (await import('../actions/balance.ts')).balance(context)),
    )
}

export function whoamiCommand(start: Start) {
  return new Command('whoami')
    .summary('show the gateway and the key in use')
    .description('Shows which gateway commands go to, with which key, and where the key comes from.')
    .action((_options, command) =>
      start(command, async (context) => (await import('../actions/whoami.ts')).whoami(context)),
    )
}

export function usageCommand(start: Start) {
  return new Command('usage')
    .summary('show what was spent, and why')
    .description('Lists requests, newest first. With a request id it shows that one, and how its charge came about.')
    .argument('[request-id]', 'one request')
    .option('--since <time>', 'not before: a span such as 24h, 7d, 2w, or a date')
    .option('--until <time>', 'before: the same')
    .option('-m, --model <id>', 'only this model')
    .addOption(new Option('-t, --type <type>', 'only this kind').choices(usageTypes))
    .addOption(new Option('--status <status>', 'only what ended so').choices(usageStatuses))
    .option('-n, --limit <count>', 'how many (default: 20)', wholeNumber)
    .option('--all', 'all of them')
    .addOption(new Option('--csv', 'as CSV').conflicts('json'))
    .addHelpText(
      'after',
      examples('svc usage --since 7d', 'svc usage --since 2026-11-01 --all --csv > november.csv', 'svc usage 0198…'),
    )
    .action((requestId, options, command) =>
      start(command, async (context) => {
        if (requestId === undefined) await (await import('../actions/usage.ts')).usage(context, options)
        else await (await import('../actions/usage-record.ts')).usageRecord(context, requestId)
      }),
    )
}
