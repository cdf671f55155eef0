import type { Terminal } from './terminal.ts'

/** An input that can hand on keys as they are pressed. */
type RawInput = Terminal['input'] & { setRawMode?(isRaw: boolean): unknown }

const INTERRUPT = '\u0003'

/**
 * Asks the terminal itself something, and waits for its answer.
 *
 * @param answer what the answer looks like.
 * @returns null where input is no terminal, or the terminal says nothing within the time.
 */
export async function askTerminal(
  terminal: Terminal,
  question: string,
  answer: RegExp,
  limitMs: number,
): Promise<RegExpExecArray | null> {
  const input: RawInput = terminal.input
  if (!terminal.isInteractive || input.setRawMode === undefined) return null
  input.setRawMode(true)
  try {
    const { promise, resolve } = Promise.withResolvers<RegExpExecArray | null>()
    let text = ''
    const hear = (bytes: Buffer | string): void => {
      text += bytes.toString()
      const found = answer.exec(text)
      // Ctrl-C is a character now: it ends the question, and the program as it always does.
      if (text.includes(INTERRUPT)) process.kill(process.pid, 'SIGINT')
      if (found !== null || text.includes(INTERRUPT)) resolve(found)
    }
    input.on('data', hear)
    const timer = setTimeout(() => resolve(null), limitMs)
    await terminal.notes.bytes(question)
    const found = await promise
    clearTimeout(timer)
    input.off('data', hear)
    return found
  } finally {
    input.pause()
    input.setRawMode(false)
  }
}
