/** The command line of this process. Part of every program that has options and no commands. */
import { scrubArguments } from '@svc/contract'
import { type Program, type ProgramOptions, parseProgram, type ValuesOf } from '../platform/runtime/program-options.ts'
import { writeLine } from '../platform/runtime/write-line.ts'

/** Reads the options that this process was started with. Ends the process where they are wrong, or after `--help`. */
export function readOptions<const Options extends ProgramOptions>(program: Program<Options>): ValuesOf<Options> {
  const line = parseProgram(program, process.argv.slice(2), {
    print: (text) => writeLine(process.stdout, text),
    printError: (text) => writeLine(process.stderr, scrubArguments(text)),
  })
  return line.kind === 'run' ? line.values : process.exit(line.exitCode)
}
