/** Commands about keys that this machine keeps. */
import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples } from './define.ts'

export function loginCommand(start: Start) {
  return new Command('login')
    .summary('sign in to a gateway')
    .description(
      'Shows a code that you type on a page of the gateway, and keeps the key that comes of it in a file that you\n' +
        'alone can read. A key that is piped, or asked for by --key, is tried and kept in the same way.',
    )
    .option('--browser', 'sign in from a browser, also where this is no terminal')
    .option('--key', 'ask for a key that is there already')
    .option('--console', 'open the keys of the console in the browser, and ask for one')
    .option('--manage-keys', 'ask for a key that may make others (`svc keys create`)')
    .option('-m, --model <id>', 'model of `svc chat` for this profile')
    .addHelpText(
      'after',
      examples(
        'svc login',
        'svc login < .svc/demo-key',
        'svc login --profile work --base-url https://ai.example.com/api',
      ),
    )
    .action((options, command) =>
      start(command, async (context) => (await import('../actions/login.ts')).login(context, options)),
    )
}

export function logoutCommand(start: Start) {
  return new Command('logout')
    .summary('forget a key')
    .description('Removes a profile with its key from this machine. The key itself stays valid.')
    .action((_options, command) =>
      start(command, async (context) => (await import('../actions/login.ts')).logout(context)),
    )
}

export function profilesCommand(start: Start) {
  return new Command('profiles')
    .summary('list the gateways that this machine knows')
    .description('Lists the profiles; the one in use has a star.')
    .action((_options, command) =>
      start(command, async (context) => (await import('../actions/profiles.ts')).listProfiles(context)),
    )
    .addCommand(
      new Command('use')
        .summary('use a profile from now on')
        .argument('<name>', 'the profile')
        .action((name, _options, command) =>
          start(command, async (context) => (await import('../actions/profiles.ts')).useProfile(context, name)),
        ),
    )
}
