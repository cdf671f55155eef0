import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { ServiceError } from '../platform/errors/service-error.ts'

/** Lengths of our own files are known: only an upstream's own word of one can be wrong. */
function wrongLength(how: 'longer' | 'shorter'): ServiceError {
  return new ServiceError('upstream_error', `The upstream sent a file that is ${how} than it said.`)
}

/** Passes on as many bytes as were promised. */
class ExactLength extends Transform {
  #left: number

  constructor(length: number) {
    super()
    this.#left = length
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= chunk.length
    if (this.#left < 0) done(wrongLength('longer'))
    else done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    done(this.#left > 0 ? wrongLength('shorter') : null)
  }
}

/**
 * The bytes of a file whose length the answer has already sent. One that turns out to be longer or shorter breaks off:
 * further bytes would be taken for the next answer on the connection, and missing ones waited for.
 */
export function exactLength(file: Readable, length: number): Readable {
  return pipeline(file, new ExactLength(length), () => undefined)
}
