import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** Gives a command and those below it a `help` that says so where there is no such command. */
export function addHelp(command: CommandUnknownOpts): void {
  const children = command.commands.filter((child) => child.commands.length > 0)
  children.forEach(addHelp)
  command.helpCommand(false)
  command.addCommand(
    new Command('help')
      .summary('show what a command does')
      .argument('[command...]', 'the command')
      .action((names) => {
        names.reduce(childOf, command).help()
      }),
  )
}

/** @throws {CommandError} when there is none of this name. */
function childOf(parent: CommandUnknownOpts, name: string): CommandUnknownOpts {
  const child = parent.commands.find((each) => each.name() === name)
  if (child !== undefined) return child
  const path = pathOf(parent)
  const own = path.replace(/^svc/, 'svc help')
  throw new CommandError(`There is no command "${path} ${name}".`, {
    advice: parent.commands.length > 0 ? `\`${path} help\` shows the commands.` : `\`${own}\` shows what it takes.`,
    exitCode: exitCodes.wrongUsage,
  })
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
