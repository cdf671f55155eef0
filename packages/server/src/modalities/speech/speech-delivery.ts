/** The delivery of a spoken text: pieces come in from the upstream and go out to the caller, but for the last. */
import type { Nanocredits } from '@svc/contract'
import type { Charged } from '../../money/billing/settlement.ts'
import type { StreamEnd } from '../../pipeline/frame-writer.ts'
import type { Sink } from '../../pipeline/paid-work.ts'
import type { UpstreamSpeech } from '../../upstreams/speech-upstream.ts'
import type { AudioReader, AudioWriter } from './audio-reader.ts'

/** The piece that waits for the settlement; empty where none came. */
export type LastAudio = Buffer

/** How an audio file ended. */
export interface AudioEnd {
  readonly last: LastAudio
  readonly bytes: number
  /** Null for a whole audio. */
  readonly error: unknown
  readonly isCallerGone: boolean
}

/** Where a spoken text goes. */
export class SpeechDelivery implements Sink<LastAudio, StreamEnd> {
  readonly #reader: AudioReader
  #writer: AudioWriter | null = null
  #charged: Charged | null = null

  constructor(reader: AudioReader) {
    this.#reader = reader
  }

  get isOpen(): boolean {
    return this.#writer !== null
  }

  get mayBeginAnew(): boolean {
    return this.#writer === null && !this.#reader.gone.aborted
  }

  /**
   * Hands the audio on, but for its last piece.
   *
   * @param charge what the caller reads beforehand.
   */
  async passOn({ audio, contentType }: UpstreamSpeech, charge: Nanocredits): Promise<AudioEnd> {
    const { gone } = this.#reader
    const writer = this.#reader.open({ contentType, charge })
    this.#writer = writer
    const onGone = (): void => void audio.destroy()
    let last: Buffer = Buffer.alloc(0)
    let bytes = 0
    const endWith = (error: unknown): AudioEnd => ({ last, bytes, error, isCallerGone: gone.aborted })
    gone.addEventListener('abort', onGone)
    try {
      if (gone.aborted) onGone()
      for await (const piece of audio as AsyncIterable<Buffer>) {
        if (bytes > 0) await writer.write(last)
        last = piece
        bytes += piece.length
      }
      // An audio file that was destroyed before it was read ends without a word.
      return endWith(gone.aborted ? gone.reason : null)
    } catch (error) {
      return endWith(error)
    } finally {
      gone.removeEventListener('abort', onGone)
      audio.destroy()
    }
  }

  charged(charged: Charged): void {
    this.#charged = charged
    this.#reader.charged(charged.charge)
  }

  finish(last: LastAudio): StreamEnd {
    if (this.#charged !== null) this.#writer?.finish(last, this.#charged)
    return 'whole'
  }

  /** @throws the error itself while nothing was sent. */
  fail(error: unknown, isSettled: boolean): StreamEnd {
    if (this.#writer === null) throw error
    this.#writer.fail(error)
    return isSettled && this.#reader.gone.aborted ? 'cut' : 'failed'
  }
}
