/** Connects a process to `run`: its streams, its words, its interrupts, its exit code. */
import { exitCodes } from './exit-codes.ts'
import { run } from './run.ts'
import { createTerminal } from './terminal/terminal.ts'
import { version } from './version.ts'

/** One press of Ctrl-C can arrive twice: from the terminal, and from npm that passes it on. Source: own choice. */
const SAME_SIGNAL_MS = 500

export async function runProcess(process: NodeJS.Process): Promise<void> {
  const abort = new AbortController()
  let interruptedAt = 0
  process.on('SIGINT', () => {
    // The first one ends the request, and its charge is still told; the second ends the program.
    if (!abort.signal.aborted) interruptedAt = performance.now()
    else if (performance.now() - interruptedAt >= SAME_SIGNAL_MS) process.exit(exitCodes.interrupted)
    abort.abort('interrupted')
  })
  const { stdin: input, stdout: out, stderr: notes, env } = process
  const terminal = createTerminal({ input, out, notes }, env, abort)
  // Not process.exit: what was written to a pipe must still be read.
  process.exitCode = await run(terminal, process.argv.slice(2), version)
  // An open standard input would keep the process alive.
  input.destroy()
}
