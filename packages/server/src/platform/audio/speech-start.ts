/** How an answer begins that should be an audio file: as one, as a text, or with a header that no audio has followed yet. */
import { isUtf8 } from 'node:buffer'
import type { SpeechFormat } from './speech-format.ts'

/**
 * `audio`: there is something to hear. `page`: a document, such as an error object or a page of HTML. `text`: nothing
 * but text so far. `header`: the beginning of a file, without any audio.
 */
export type SpeechStart = 'audio' | 'page' | 'text' | 'header'

/** A sample of 16 bits: fewer bytes are no audio. */
const SAMPLE_BYTES = 2

/**
 * Says what bytes are the beginning of.
 *
 * @param format that was asked for. Raw samples can begin with anything, a file cannot begin like a document.
 * @param start all that has come so far; not empty.
 */
export function speechStart(format: SpeechFormat, start: Buffer): SpeechStart {
  if (format === 'pcm' && !isWav(start)) {
    return looksLikeText(start) ? 'text' : start.length < SAMPLE_BYTES ? 'header' : 'audio'
  }
  if (isDocument(start)) return 'page'
  const header = headerBytes(start)
  if (header !== null) return start.length > header ? 'audio' : 'header'
  return looksLikeText(start) && isUtf8Start(start) ? 'text' : 'audio'
}

function isWav(start: Buffer): boolean {
  return /^RIFF[^]{4}WAVE/.test(start.toString('latin1', 0, 12))
}

/** A byte order mark and blanks may precede a document. */
function isDocument(start: Buffer): boolean {
  return /^(?:\u00ef\u00bb\u00bf)?[\t\n\r ]{0,64}[{[<]/.test(start.toString('latin1', 0, 70))
}

/** Whether bytes are those of a text: among so few samples of audio, some are control characters. */
function looksLikeText(bytes: Buffer): boolean {
  return bytes.every((byte) => (byte >= 0x20 ? byte !== 0x7f : byte === 0x09 || byte === 0x0a || byte === 0x0d))
}

/** The last character may not have come whole. */
function isUtf8Start(bytes: Buffer): boolean {
  return [0, 1, 2, 3].some(
    (missing) => isUtf8(bytes.subarray(0, Math.max(0, bytes.length - missing))) && bytes.length > missing,
  )
}

/**
 * How many bytes precede the first audio of a file whose kind has such a header; more than there are while the header
 * is incomplete, and null for any other beginning.
 */
function headerBytes(start: Buffer): number | null {
  const name = start.toString('latin1', 0, 4)
  if (name === 'RIFF' || name === 'RIFX' || name === 'RF64') return wavHeader(start, name === 'RIFX')
  if (name === 'fLaC') return flacHeader(start)
  if (name === 'OggS') return oggHeader(start)
  return name.startsWith('ID3') ? id3Header(start) : null
}

/** Up to the samples of a WAV. Source: Microsoft's Multimedia Programming Interface, "Waveform Audio File Format". */
function wavHeader(start: Buffer, isBigEndian: boolean): number {
  let at = 12
  while (at + 8 <= start.length) {
    if (start.toString('latin1', at, at + 4) === 'data') return at + 8
    const size = isBigEndian ? start.readUInt32BE(at + 4) : start.readUInt32LE(at + 4)
    at += 8 + size + (size % 2)
  }
  return Infinity
}

/** The metadata blocks. Source: RFC 9639, section 8.1. */
function flacHeader(start: Buffer): number {
  let at = 4
  while (at + 4 <= start.length) {
    const isLast = (start.readUInt8(at) & 0x80) !== 0
    at += 4 + start.readUIntBE(at + 1, 3)
    if (isLast) return at
  }
  return Infinity
}

/** Pages without a position in the audio describe the stream. Source: RFC 3533, section 6. */
function oggHeader(start: Buffer): number {
  let at = 0
  while (at + 27 <= start.length && start.toString('latin1', at, at + 4) === 'OggS') {
    const position = start.readBigInt64LE(at + 6)
    if (position > 0n) return at
    const segments = start.readUInt8(at + 26)
    if (at + 27 + segments > start.length) break
    at += 27 + segments + start.subarray(at + 27, at + 27 + segments).reduce((sum, size) => sum + size, 0)
  }
  return Infinity
}

/** The tag before MPEG audio. Source: ID3v2.4.0, section 3.1: seven bits of each byte count. */
function id3Header(start: Buffer): number {
  if (start.length < 10) return Infinity
  const size = start.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return 10 + size + ((start.readUInt8(5) & 0x10) === 0 ? 0 : 10)
}
