import type { Command } from 'commander'
import type { AdminContext } from './admin-context.ts'

/** What a command answers: `text` for people, `json` for programs. */
export interface CommandOutput {
  readonly text: string
  readonly json: unknown
  /** 0 when absent. */
  readonly exitCode?: number
}

export interface CommandDeps {
  /** Opens the database; called once a command line is known to be right. */
  readonly open: () => Promise<AdminContext>
  readonly print: (text: string) => void
  readonly exit: (code: number) => void
}

/** Runs a command's work on an open database, closes it, and prints the answer in the form that was asked for. */
export async function runCommand(
  deps: CommandDeps,
  command: Command,
  work: (context: AdminContext) => Promise<CommandOutput>,
): Promise<void> {
  const context = await deps.open()
  try {
    const output = await work(context)
    const isJson = command.optsWithGlobals<{ readonly json?: boolean }>().json === true
    deps.print(isJson ? JSON.stringify(output.json, null, 2) : output.text)
    deps.exit(output.exitCode ?? 0)
  } finally {
    await context.close()
  }
}
