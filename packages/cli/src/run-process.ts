/** Connects a process to `run`: its streams, its words, its interrupts, its exit code. */
import { exitCodes } from './exit-codes.ts'
import { run } from './run.ts'
import { createTerminal } from './terminal/terminal.ts'
import { version } from './version.ts'

/** One press of Ctrl-C can arrive twice: from the terminal, and from npm that passes it on. Source: own choice. */
const SAME_SIGNAL_MS = 500

/** The command behind the completion scripts. */
const COMPLETE = '__complete'

export async function runProcess(process: NodeJS.Process): Promise<void> {
  const abort = new AbortController()
  let interruptedAt = 0
  process.on('SIGINT', () => {
    // The first one ends the request, and its charge is still printed; the second ends the program.
    if (!abort.signal.aborted) interruptedAt = performance.now()
    else if (performance.now() - interruptedAt >= SAME_SIGNAL_MS) process.exit(exitCodes.interrupted)
    abort.abort('interrupted')
  })
  const { stdin: input, stdout: out, stderr: notes, env } = process
  const terminal = createTerminal({ input, out, notes }, env, abort)
  // Not process.exit: what was written to a pipe must still be read.
  process.exitCode = await run(terminal, process.argv.slice(2), version)
  // A shell waits for completions, so they never wait for what is under way, such as the look-up of a name. All of them
  // is written by then.
  if (process.argv[2] === COMPLETE) process.exit()
  // An open standard input would keep the process alive.
  input.destroy()
}
