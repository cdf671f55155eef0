/** The terminal as commands see it: input, two outputs, and what the environment says about them. */
import { scrubArguments } from '@svc/contract'
import type { Readable, Writable } from 'node:stream'
import { createOutput, type Output } from './output.ts'

export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  /** The result, and nothing else. */
  readonly out: Output
  /** Notes, progress and errors. */
  readonly notes: Output
  /** The stream behind `notes`, for libraries that draw. */
  readonly notesStream: Writable
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether a person sits before it: questions can be asked. */
  readonly isInteractive: boolean
  /** Fires when the user interrupts, or when the output ends: its reader has gone, or it cannot be written. */
  readonly signal: AbortSignal
}

export interface TerminalStreams {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly out: Writable & { readonly isTTY?: boolean }
  readonly notes: Writable & { readonly isTTY?: boolean }
}

/**
 * Colour is for terminals that can show it and people who want it. Source: no-color.org; bixense.com/clicolors
 * (CLICOLOR); TERM=dumb as in terminfo.
 */
function wantsColour(environment: Terminal['environment']): boolean {
  const { NO_COLOR, CLICOLOR, TERM } = environment
  return (NO_COLOR === undefined || NO_COLOR === '') && CLICOLOR !== '0' && TERM !== 'dumb'
}

/** @param abort ends the command's work: interrupted, or the reader of its output has gone. */
export function createTerminal(
  streams: TerminalStreams,
  environment: Terminal['environment'],
  abort: AbortController,
): Terminal {
  const options = { hasColour: wantsColour(environment), onEnd: (reason: Error) => abort.abort(reason) }
  return {
    input: streams.input,
    out: createOutput(streams.out, options),
    // A key that was given as an argument must not be shown again: what terminals show is kept and shared.
    notes: createOutput(streams.notes, { ...options, onEnd: () => undefined, clean: scrubArguments }),
    notesStream: streams.notes,
    environment,
    isInteractive: streams.input.isTTY === true && streams.notes.isTTY === true && environment['TERM'] !== 'dumb',
    signal: abort.signal,
  }
}
