/** Audio under an Idempotency-Key: bytes as they go out, kept for as long as they are few. */
import { formatCredits, MARGIN_BPS, type Nanocredits } from '@svc/contract'
import { type IdempotentRun, KEPT_LENGTH_MAX } from '../../admission/idempotency/idempotency.ts'
import type { KeptAnswer } from '../../admission/idempotency/sealed-answer.ts'
import type { AudioReader, AudioWriter } from './audio-reader.ts'
import type { StreamEnd } from '../../pipeline/frame-writer.ts'
import { runIdempotent, written } from '../../edge/idempotent-response.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

/** Base64 has four characters for three bytes. */
const KEPT_BYTES_MAX = (KEPT_LENGTH_MAX / 4) * 3

/** A reader whose bytes are kept, and whose last ones wait. */
class StoredSpeech implements AudioReader {
  readonly #reader: AudioReader
  #opened: { readonly contentType: string; readonly charge: Nanocredits } | null = null
  /** Null when they are more than what is kept. */
  #pieces: Buffer[] | null = []
  #length = 0
  #sendLast: () => void = () => undefined

  constructor(reader: AudioReader) {
    this.#reader = reader
  }

  get gone(): AbortSignal {
    return this.#reader.gone
  }

  /** Null where it cannot be given again. */
  get answer(): KeptAnswer | null {
    if (this.#opened === null || this.#pieces === null) return null
    const { contentType, charge } = this.#opened
    const headers = {
      'x-svc-credits-charged': formatCredits(charge),
      'x-svc-margin-bps': String(MARGIN_BPS),
      'cache-control': 'no-store, no-transform',
    }
    return { contentType, headers, body: Buffer.concat(this.#pieces).toString('base64'), isBinary: true }
  }

  open(answer: { readonly contentType: string; readonly charge: Nanocredits }): AudioWriter {
    this.#opened = answer
    const writer = this.#reader.open(answer)
    return {
      write: (bytes) => {
        this.#keep(bytes)
        return writer.write(bytes)
      },
      finish: (bytes, charged) => {
        this.#keep(bytes)
        this.#sendLast = () => writer.finish(bytes, charged)
      },
      fail: (error) => writer.fail(error),
    }
  }

  charged(charge: Nanocredits): void {
    this.#reader.charged(charge)
  }

  sendLast(): void {
    this.#sendLast()
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > KEPT_BYTES_MAX) this.#pieces = null
    // A copy: a piece may be a small view into a large buffer of the socket, which it would keep alive.
    this.#pieces?.push(Buffer.from(bytes))
  }
}

/**
 * Speaks under a name. An audio file that broke off cannot be given again, since nothing but a broken connection shows that
 * its end is missing.
 *
 * @param work speaks to the reader that it is given, and says how that ended.
 */
export async function storeSpeech(
  deps: RouteKit,
  reader: AudioReader,
  run: IdempotentRun | null,
  work: (reader: AudioReader) => Promise<StreamEnd>,
): Promise<void> {
  if (run === null) return void (await work(reader))
  const kept = new StoredSpeech(reader)
  const end = await runIdempotent(deps, run, () => work(kept))
  await written(deps, end === 'whole' ? run.finish(kept.answer) : run.finishFailed(null))
  kept.sendLast()
}
