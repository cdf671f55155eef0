/** Reads what the user types: one line, or several. Keeps what was typed before for the arrow keys. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import type { Terminal } from '../terminal/terminal.ts'
import { withoutControls } from '../terminal/without-controls.ts'

export interface LineReader {
  /**
   * One message: a line, lines that end in a backslash and the next one, or everything between two lines of `"""`.
   * @returns null when the user ends the conversation.
   */
  read(prompt: string): Promise<string | null>
  /** Runs an answer; Ctrl-C stops it and not the conversation. */
  whileAnswering<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  close(): void
}

const HISTORY_LINES = 1_000
/** Single lines of all conversations, in the folder of settings. */
export const LINES_FILE = 'chat-history'
const CONTINUED = '… '
const BLOCK = '"""'

/** Whole lines that can replace a line that was begun. */
export type LineCompleter = (line: string) => Promise<readonly string[]>

/** @param folder where lines are kept for the next conversation; null to keep none. */
export function openLineReader(
  terminal: Pick<Terminal, 'input' | 'notesStream'>,
  folder: string | null,
  complete: LineCompleter,
): LineReader {
  const historyFile = folder === null ? null : path.join(folder, LINES_FILE)
  const lines = createInterface({
    input: terminal.input,
    output: terminal.notesStream,
    history: historyFile === null ? [] : readHistory(historyFile),
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
    completer: async (line: string): Promise<[string[], string]> => [[...(await complete(line))], line],
  })
  let answering: AbortController | null = null
  let ended = new AbortController()
  lines.on('SIGINT', () => {
    if (answering !== null) answering.abort()
    else ended.abort()
  })
  lines.on('close', () => ended.abort())
  const ask = async (prompt: string): Promise<string | null> => {
    try {
      // A tool in it has the name that a model gave it.
      return await lines.question(withoutControls(prompt), { signal: ended.signal })
    } catch {
      return null
    }
  }
  return {
    read: async (prompt) => {
      if (ended.signal.aborted) ended = new AbortController()
      const text = await readMessage(ask, prompt)
      if (historyFile !== null && text !== null && text.trim() !== '') remember(historyFile, text)
      return text
    },
    whileAnswering: async (work) => {
      answering = new AbortController()
      try {
        return await work(answering.signal)
      } finally {
        answering = null
      }
    },
    close: () => closeQuietly(lines),
  }
}

async function readMessage(ask: (prompt: string) => Promise<string | null>, prompt: string): Promise<string | null> {
  const first = await ask(prompt)
  if (first === null) return null
  if (first.trim() === BLOCK) return readBlock(ask)
  const lines: string[] = []
  for (let line: string | null = first; line !== null; line = await ask(CONTINUED)) {
    if (!line.endsWith('\\')) return [...lines, line].join('\n')
    lines.push(line.slice(0, -1))
  }
  return null
}

async function readBlock(ask: (prompt: string) => Promise<string | null>): Promise<string | null> {
  const lines: string[] = []
  for (;;) {
    const line = await ask(CONTINUED)
    if (line === null) return null
    if (line.trim() === BLOCK) return lines.join('\n')
    lines.push(line)
  }
}

function readHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).slice(-HISTORY_LINES).toReversed()
  } catch {
    return []
  }
}

/** Only single lines: the arrow keys bring back one line. A history that cannot be kept is no reason to stop. */
function remember(file: string, text: string): void {
  if (text.includes('\n')) return
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, `${text}\n`, { mode: 0o600 })
  } catch {
    // The next conversation starts without it.
  }
}

function closeQuietly(lines: Interface): void {
  lines.removeAllListeners('close')
  lines.close()
}
