/** Commands about keys that this machine keeps. */
import { Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples } from './define.ts'

export function loginCommand(start: Start) {
  return new Command('login')
    .summary('keep a key for a gateway')
    .description(
      'Asks for a key (or reads it from a pipe), tries it, and keeps it in a file that you alone can read.\n' +
        'Keys are made in the console; --console opens it.',
    )
    .option('--console', 'open the console in the browser first')
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
