/** Runs one command line from its words to its exit code. */
import { CommanderError } from '@commander-js/extra-typings'
import { CommandError } from './command-error.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'
import { createProgram } from './program.ts'
import { QuoteShownError } from './quote-shown-error.ts'
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
  const isJson = wantsJson(words)
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
          // Told at the end, as JSON.
          if (!isJson) writeError(`${styled(terminal.notes, 'red', 'Error:')} ${text.replace(/^error: /, '')}`)
        },
        getOutHelpWidth: terminal.out.width,
        getErrHelpWidth: terminal.notes.width,
      })
    if (isJson) command.showHelpAfterError(false)
    else if (path !== '') command.showHelpAfterError(`\`svc help${path}\` shows what it takes.`)
    for (const child of command.commands) quietly(child, `${path} ${child.name()}`)
  }
  quietly(program, '')
  try {
    await program.parseAsync(words, { from: 'user' })
    await Promise.all(texts)
    return exitCodes.done
  } catch (error) {
    return await exitCodeOf(terminal, error, { texts, isJson })
  }
}

/** Read before the words are understood: a failure to understand them is told in the same form. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).includes('--json')
}

interface Ending {
  readonly texts: readonly Promise<void>[]
  readonly isJson: boolean
}

async function exitCodeOf(terminal: Terminal, error: unknown, { texts, isJson }: Ending): Promise<ExitCode> {
  await Promise.allSettled(texts)
  if (error instanceof QuoteShownError) return exitCodes.done
  // The reader closed the pipe: that is how `svc models | head` ends, and no failure.
  const reason: unknown = terminal.signal.reason
  if (error instanceof ReaderGoneError || reason instanceof ReaderGoneError) return exitCodes.done
  if (reason instanceof CommandError) return tell(terminal, reason, isJson)
  if (terminal.signal.aborted) return exitCodes.interrupted
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done
    const message = error.message.replace(/^error: /, '')
    return isJson ? tellJson(terminal, { message, advice: null, exitCode: exitCodes.wrongUsage }) : exitCodes.wrongUsage
  }
  const { codesOf } = await import('./explain-error.ts')
  return tell(terminal, { ...(await explain(error)), ...codesOf(error) }, isJson)
}

interface Told extends Pick<CommandError, 'message' | 'advice' | 'exitCode'> {
  readonly code?: string | null
  readonly param?: string | null
  readonly request_id?: string | null
}

async function tell(terminal: Terminal, told: Told, isJson: boolean): Promise<ExitCode> {
  if (isJson) return tellJson(terminal, told)
  await terminal.notes.bytes(`${styled(terminal.notes, 'red', 'Error:')} `)
  await terminal.notes.line(told.message)
  if (told.advice !== null) await terminal.notes.line(told.advice)
  return told.exitCode
}

/** The form of the gateway's own errors, on standard error as every failure: standard output has results alone. */
async function tellJson(terminal: Terminal, { exitCode, advice, message, ...codes }: Told): Promise<ExitCode> {
  const { printJson } = await import('./print-json.ts')
  const { code = null, param = null, request_id: requestId = null } = codes
  await printJson(terminal.notes, {
    error: { message, code, param, request_id: requestId, advice, exit_code: exitCode },
  })
  return exitCode
}

async function explain(error: unknown): Promise<Pick<Told, 'message' | 'advice' | 'exitCode'>> {
  if (error instanceof CommandError) {
    const { message, advice, exitCode } = error
    return { message, advice, exitCode }
  }
  const { explainError } = await import('./explain-error.ts')
  const explained = explainError(error)
  if (explained !== null) return explained
  const message = error instanceof Error ? error.message : String(error)
  return { message: `${message} (this is a fault of the program)`, advice: null, exitCode: exitCodes.failed }
}
