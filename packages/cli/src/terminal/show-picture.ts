/** Shows a picture where the terminal can; elsewhere the name of the file is all there is. */
import type { Terminal } from './terminal.ts'

/** Source: kitty's graphics protocol: payloads come in pieces of at most 4,096 bytes. */
const KITTY_PIECE = 4_096
const PNG_SIGNATURE = '\u0089PNG'
const ESCAPE = '\u001b'

type Protocol = 'kitty' | 'iterm'

/** Which way of showing pictures the terminal says that it knows; null for none. */
export function pictureProtocol(environment: Terminal['environment']): Protocol | null {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '', KITTY_WINDOW_ID, TMUX } = environment
  // A multiplexer in between would print the bytes.
  if (TMUX !== undefined && TMUX !== '') return null
  if (KITTY_WINDOW_ID !== undefined || TERM.includes('kitty') || TERM_PROGRAM === 'ghostty') return 'kitty'
  return ['iTerm.app', 'WezTerm'].includes(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2' ? 'iterm' : null
}

/** kitty reads PNG alone; another format is left to the name of the file. */
function kittyText(bytes: Buffer): string {
  if (!bytes.toString('latin1', 0, 4).startsWith(PNG_SIGNATURE)) return ''
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

export async function showPicture({ notes, environment }: Terminal, bytes: Buffer): Promise<void> {
  const protocol = notes.isTerminal ? pictureProtocol(environment) : null
  if (protocol === null) return
  const text = protocol === 'kitty' ? kittyText(bytes) : itermText(bytes)
  if (text !== '') await notes.bytes(`${text}\n`)
}
