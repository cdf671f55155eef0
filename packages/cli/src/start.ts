import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Context, createContext } from './context.ts'
import type { GlobalOptions } from './global-options.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Starts the work of a command with its context. */
export type Start = (command: CommandUnknownOpts, work: (context: Context) => Promise<void>) => Promise<void>

export function createStart(terminal: Terminal): Start {
  return async (command, work) => {
    // Options come before or after the name of the command; their types are those of `program.ts`.
    await work(createContext(terminal, command.optsWithGlobals() as GlobalOptions))
  }
}
