/** Runs commands of the terminal client in this process, before a terminal or pipes of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { createTerminal } from '../packages/cli/src/terminal/terminal.ts'

/** Columns of the terminal. */
export const WIDTH = 64

export interface Sitting {
  readonly env: Readonly<Record<string, string>>
  /** False for pipes. */
  readonly isTerminal?: boolean
  /** Writes succeed until so many bytes came; then the reader is gone. */
  readonly readsBytes?: number
  /** What a write says then, where it is not that the reader is gone. */
  readonly fault?: string
  /** What is piped into it; without it the input is at its end at once. */
  readonly input?: string
  /** The parts of another build of the client; those of the sources without it. */
  readonly parts?: ClientParts
}

/** What a build of the client is entered by. */
export interface ClientParts {
  readonly run: typeof run
  readonly createTerminal: typeof createTerminal
}

export interface Sat {
  readonly code: number
  readonly out: string
  readonly notes: string
}

function collector(isTTY: boolean, readsBytes: number, fault = 'EPIPE') {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done(text.length > readsBytes ? Object.assign(new Error(`write ${fault}`), { code: fault }) : null)
    },
  })
  return { stream: Object.assign(stream, { isTTY, columns: WIDTH }), text: () => text }
}

/**
 * Registers hooks that make a folder of settings, and gives what runs a command: before a terminal of 64 columns unless
 * pipes are asked for.
 */
export function useSitting() {
  let settings = ''
  beforeAll(() => {
    settings = mkdtempSync(path.join(tmpdir(), 'svc-in-process-'))
  })
  afterAll(() => rmSync(settings, { recursive: true, force: true }))
  const sit = async (words: readonly string[], sitting: Sitting): Promise<Sat> => {
    const { env, isTerminal = true, readsBytes = Infinity, fault, input: piped } = sitting
    const parts = sitting.parts ?? { run, createTerminal }
    const out = collector(isTerminal, readsBytes, fault)
    const notes = collector(isTerminal, Infinity)
    const input = Object.assign(Readable.from(piped === undefined ? [] : [piped]), {
      isTTY: isTerminal && piped === undefined,
    })
    const environment = { XDG_CONFIG_HOME: settings, TERM: 'xterm', ...env }
    const streams = { input, out: out.stream, notes: notes.stream }
    const terminal = parts.createTerminal(streams, environment, new AbortController())
    const code = await parts.run(terminal, words, '0')
    return { code, out: out.text(), notes: notes.text() }
  }
  return Object.assign(sit, { folder: () => path.join(settings, 'svc') })
}
