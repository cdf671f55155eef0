/** Runs one command line from its words to its exit code. */
import { CommanderError } from '@commander-js/extra-typings'
import { CommandError } from './command-error.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { createStart } from './start.ts'
import { ReaderGoneError } from './terminal/output.ts'
import { styled } from './terminal/style.ts'
import type { Terminal } from './terminal/terminal.ts'

/**
 * Runs a command. Never rejects: every failure is written to standard error and becomes an exit code.
 *
 * @param words without the names of Node and the program.
 */
export async function run(terminal: Terminal, words: readonly string[], version: string): Promise<ExitCode> {
  const program = createProgram(createStart(terminal), version)
  const texts: Promise<void>[] = []
  const write = (output: Terminal['out']) => (text: string) => {
    texts.push(output.bytes(text))
  }
  const quietly = (command: typeof program | (typeof program.commands)[number], path: string): void => {
    command
      .configureHelp({ showGlobalOptions: true })
      .exitOverride()
      .configureOutput({
        writeOut: write(terminal.out),
        writeErr: write(terminal.notes),
        outputError: (text, writeError) => {
          writeError(`${styled(terminal.notes, 'red', 'Error:')} ${text.replace(/^error: /, '')}`)
        },
        getOutHelpWidth: terminal.out.width,
        getErrHelpWidth: terminal.notes.width,
      })
    if (path !== '') command.showHelpAfterError(`\`svc help${path}\` shows what it takes.`)
    for (const child of command.commands) quietly(child, `${path} ${child.name()}`)
  }
  quietly(program, '')
  try {
    await program.parseAsync(words, { from: 'user' })
    await Promise.all(texts)
    return exitCodes.done
  } catch (error) {
    return await exitCodeOf(terminal, error, texts)
  }
}

async function exitCodeOf(terminal: Terminal, error: unknown, texts: readonly Promise<void>[]): Promise<ExitCode> {
  await Promise.allSettled(texts)
  // The reader closed the pipe: that is how `svc models | head` ends, and no failure.
  const reason: unknown = terminal.signal.reason
  if (error instanceof ReaderGoneError || reason instanceof ReaderGoneError) return exitCodes.done
  if (reason instanceof CommandError) return tell(terminal, reason)
  if (terminal.signal.aborted) return exitCodes.interrupted
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage
  return tell(terminal, await explain(error))
}

type Told = Pick<CommandError, 'message' | 'advice' | 'exitCode'>

async function tell(terminal: Terminal, { message, advice, exitCode }: Told): Promise<ExitCode> {
  await terminal.notes.bytes(`${styled(terminal.notes, 'red', 'Error:')} `)
  await terminal.notes.line(message)
  if (advice !== null) await terminal.notes.line(advice)
  return exitCode
}

async function explain(error: unknown): Promise<Told> {
  if (error instanceof CommandError) return error
  const { explainError } = await import('./explain-error.ts')
  const explained = explainError(error)
  if (explained !== null) return explained
  const message = error instanceof Error ? error.message : String(error)
  return { message: `${message} (this is a fault of the program)`, advice: null, exitCode: exitCodes.failed }
}
