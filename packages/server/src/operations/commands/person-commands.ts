import { Command } from 'commander'
import { AdminError } from './admin-error.ts'
import { parseReason } from './parse-options.ts'
import { runCommand, type CommandDeps } from './run-command.ts'

/** `person reset-factor`. */
export function personCommands(deps: CommandDeps): Command {
  const person = new Command('person').description('people who sign in')
  person
    .command('reset-factor')
    .description('remove the second factor of a person who has lost it; make sure that it is them')
    .argument('<email>', 'their address')
    .requiredOption('--reason <words>', 'why; kept for good', parseReason)
    .action((email: string, { reason }: { readonly reason: string }, command: Command) =>
      runCommand(deps, command, async (context) => {
        const result = await context.resetFactor({ email, reason })
        if (result === 'unknown_person') throw new AdminError('No person signs in with this address.')
        const isReset = result === 'reset'
        return {
          text: isReset ? `${email} signs in without a second factor now.` : `${email} has no second factor.`,
          json: { email, reset: isReset },
        }
      }),
    )
  return person
}
