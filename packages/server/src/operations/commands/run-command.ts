import type { Command } from 'commander'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { AdminContext, Migrated } from './admin-context.ts'

/** What a command answers: `text` for people, `json` for programs. */
export interface CommandOutput {
  readonly text: string
  readonly json: unknown
  /** What was done all the same and may not be what was meant: one sentence each. */
  readonly warnings?: readonly string[]
  /** 0 when absent. */
  readonly exitCode?: number
}

export interface CommandDeps {
  /** Opens the database; called once a command line is known to be right. */
  readonly open: () => Promise<AdminContext>
  /** Brings the schema of the store up to date, or says what that would be. */
  readonly migrate: (isDryRun: boolean) => Promise<Migrated>
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  readonly clock: Clock
  readonly exit: (code: number) => void
  /** Asks a person and waits for a line; null where there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | null
}

/** Runs a command's work on an open database, closes it, and prints the answer in the form that was asked for. */
export async function runCommand(
  deps: CommandDeps,
  command: Command,
  work: (context: AdminContext) => Promise<CommandOutput>,
): Promise<void> {
  const context = await deps.open()
  try {
    printOutput(deps, command, await work(context))
  } finally {
    await context.close()
  }
}

/** Prints a command's answer in the form that was asked for, and keeps its exit code. */
export function printOutput(deps: CommandDeps, command: Command, output: CommandOutput): void {
  const isJson = command.optsWithGlobals<{ readonly json?: boolean }>().json === true
  deps.print(isJson ? JSON.stringify(output.json, null, 2) : output.text)
  for (const warning of output.warnings ?? []) deps.printError(`warning: ${warning}`)
  deps.exit(output.exitCode ?? 0)
}

/** Ends a command whose options do not fit together, as other wrong options end it: before anything is opened. */
export function refuseOptions(command: Command, sentence: string): never {
  return command.error(`error: ${sentence}`)
}
