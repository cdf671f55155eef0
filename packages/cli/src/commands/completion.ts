import { Argument, Command } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { examples } from './define.ts'

export function completionCommand(start: Start) {
  return new Command('completion')
    .summary('print a completion script for your shell')
    .description('Prints a script that completes commands, options and their values, models and profiles included.')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish'] as const))
    .addHelpText(
      'after',
      examples(
        'source <(svc completion bash)',
        'svc completion zsh > "${fpath[1]}/_svc"',
        'svc completion fish > ~/.config/fish/completions/svc.fish',
      ),
    )
    .action((shell, _options, command) =>
      start(command, async (context) => {
        const { completionScript } = await import('../completion/completion-script.ts')
        await context.terminal.out.text(completionScript(shell))
      }),
    )
}

/** What the scripts call: candidates for the last of the words, one a line. */
export function completeCommand(start: Start) {
  return new Command('__complete')
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action((words, _options, command) =>
      start(command, async (context) => {
        const { completeLine } = await import('../completion/complete-line.ts')
        if (command.parent !== null) await completeLine(context, command.parent, words)
      }),
    )
}
