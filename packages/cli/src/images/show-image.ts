/** Shows an image where the terminal can; elsewhere the name of the file is all there is. */
import { askTerminal } from '../terminal/ask-terminal.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Source: kitty's graphics protocol: payloads come in pieces of at most 4,096 bytes. */
const KITTY_PIECE = 4_096
const ESCAPE = '\u001b'
/** "What are you?" Every terminal answers; those that know sixels have a 4 in it. Source: DEC STD 070, DA1. */
const WHAT_ARE_YOU = `${ESCAPE}[c`
// oxlint-disable-next-line no-control-regex
const I_AM = /\u001b\[\?([\d;]+)c/
const SIXELS = '4'
/**
 * How long the answer may take, in milliseconds: over a slow line it comes late, and must not come after the command.
 */
const ANSWER_MS = 1_000
/** The box into which sixels are made to fit, in pixels: what forty columns and twenty lines have at least. */
const WIDTH_MAX = 640
const HEIGHT_MAX = 480

export type ImageProtocol = 'kitty' | 'iterm' | 'sixel'

/**
 * Which way of showing images the terminal knows, by what it reports; null for none.
 *
 * @param answerMs how long its answer may take.
 */
export async function imageProtocol(terminal: Terminal, answerMs = ANSWER_MS): Promise<ImageProtocol | null> {
  if (!terminal.notes.isTerminal) return null
  return namedProtocol(terminal.environment) ?? ((await knowsSixels(terminal, answerMs)) ? 'sixel' : null)
}

function namedProtocol(environment: Terminal['environment']): ImageProtocol | null {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '', KITTY_WINDOW_ID, TMUX } = environment
  // A multiplexer in between would print the bytes; about sixels it answers for itself.
  if (TMUX !== undefined && TMUX !== '') return null
  if (KITTY_WINDOW_ID !== undefined || TERM.includes('kitty') || TERM_PROGRAM === 'ghostty') return 'kitty'
  return ['iTerm.app', 'WezTerm'].includes(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2' ? 'iterm' : null
}

async function knowsSixels(terminal: Terminal, answerMs: number): Promise<boolean> {
  const answer = await askTerminal(terminal, WHAT_ARE_YOU, I_AM, answerMs)
  return answer?.[1]?.split(';').slice(1).includes(SIXELS) === true
}

/** kitty reads PNG alone. */
function kittyText(bytes: Buffer): string {
  const encoded = bytes.toString('base64')
  const pieces = encoded.match(new RegExp(`.{1,${KITTY_PIECE}}`, 'g')) ?? []
  return pieces
    .map((piece, index) => {
      const more = index < pieces.length - 1 ? 1 : 0
      const control = index === 0 ? `a=T,f=100,c=40,m=${more}` : `m=${more}`
      return `${ESCAPE}_G${control};${piece}${ESCAPE}\\`
    })
    .join('')
}

/** Source: iTerm2's inline images protocol. */
function itermText(bytes: Buffer): string {
  const size = `size=${bytes.length};inline=1;width=40;preserveAspectRatio=1`
  return `${ESCAPE}]1337;File=${size}:${bytes.toString('base64')}\u0007`
}

/** What is sent to the terminal; null for an image that it cannot be shown, whose file has a name. */
async function imageText(protocol: ImageProtocol, bytes: Buffer): Promise<string | null> {
  if (protocol === 'iterm') return itermText(bytes)
  const { isPng, readPng } = await import('./read-png.ts')
  if (protocol === 'kitty') return isPng(bytes) ? kittyText(bytes) : null
  const bitmap = readPng(bytes)
  if (bitmap === null) return null
  const [{ shrinkInto }, { sixelText }] = await Promise.all([import('./bitmap.ts'), import('./sixel.ts')])
  return sixelText(shrinkInto(bitmap, WIDTH_MAX, HEIGHT_MAX))
}

/** @param protocol of `imageProtocol`, which is asked for once for all images of a command. */
export async function showImage({ notes }: Terminal, protocol: ImageProtocol, bytes: Buffer): Promise<void> {
  const text = await imageText(protocol, bytes)
  if (text !== null) await notes.bytes(`${text}\n`)
}
