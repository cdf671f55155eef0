/** The delivery of a spoken text: pieces come in from the upstream and go out to the caller, but for the last. */
import type { Nanocredits } from '@svc/contract'
import type { Charged } from '../../money/billing/settlement.ts'
import type { StreamEnd } from '../../pipeline/frame-writer.ts'
import type { Sink } from '../../pipeline/paid-work.ts'
import type { UpstreamSpeech } from '../../upstreams/speech-upstream.ts'
import type { SoundReader, SoundWriter } from './sound-reader.ts'

/** The piece that waits for the settlement; empty where none came. */
export type LastSound = Buffer

/** How a sound ended. */
export interface SoundEnd {
  readonly last: LastSound
  readonly bytes: number
  /** Null for a whole sound. */
  readonly error: unknown
  readonly isCallerGone: boolean
}

/** Where a spoken text goes. */
export class SpeechDelivery implements Sink<LastSound, StreamEnd> {
  readonly #reader: SoundReader
  #writer: SoundWriter | null = null
  #charged: Charged | null = null

  constructor(reader: SoundReader) {
    this.#reader = reader
  }

  get isOpen(): boolean {
    return this.#writer !== null
  }

  get mayBeginAnew(): boolean {
    return this.#writer === null && !this.#reader.gone.aborted
  }

  /** A caller who leaves before the first sound has asked for a text that an upstream speaks all the same. */
  readonly isForsaken = false

  /**
   * Hands the sound on, but for its last piece.
   *
   * @param charge what the caller is told beforehand.
   */
  async passOn({ sound, contentType }: UpstreamSpeech, charge: Nanocredits): Promise<SoundEnd> {
    const { gone } = this.#reader
    const writer = this.#reader.open({ contentType, charge })
    this.#writer = writer
    const onGone = (): void => void sound.destroy()
    let last: Buffer = Buffer.alloc(0)
    let bytes = 0
    const endWith = (error: unknown): SoundEnd => ({ last, bytes, error, isCallerGone: gone.aborted })
    gone.addEventListener('abort', onGone)
    try {
      if (gone.aborted) onGone()
      for await (const piece of sound as AsyncIterable<Buffer>) {
        if (bytes > 0) await writer.write(last)
        last = piece
        bytes += piece.length
      }
      // A sound that was destroyed before it was read ends without a word.
      return endWith(gone.aborted ? gone.reason : null)
    } catch (error) {
      return endWith(error)
    } finally {
      gone.removeEventListener('abort', onGone)
      sound.destroy()
    }
  }

  charged(charged: Charged): void {
    this.#charged = charged
    this.#reader.charged(charged.charge)
  }

  finish(last: LastSound): StreamEnd {
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
