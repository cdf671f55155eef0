/** Vectors in the encoding that a client asked for, whatever the upstream wrote. */
import type { WireVector } from '../../upstreams/embedding-upstream.ts'

export type VectorFormat = 'float' | 'base64'

const FLOAT_BYTES = 4

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * FLOAT_BYTES)
  return bytes.toString('base64')
}

/** The numbers; null where one of them is none. */
function toNumbers(text: string): readonly number[] | null {
  const bytes = Buffer.from(text, 'base64')
  const numbers: number[] = []
  for (let at = 0; at + FLOAT_BYTES <= bytes.length; at += FLOAT_BYTES) numbers.push(bytes.readFloatLE(at))
  return numbers.every(Number.isFinite) ? numbers : null
}

function encode(vector: WireVector, format: VectorFormat): readonly number[] | string | null {
  if (typeof vector === 'string') return format === 'base64' ? vector : toNumbers(vector)
  return format === 'base64' ? toBase64(vector) : vector
}

/**
 * Writes the `data` of an answer.
 *
 * @returns null when a vector holds what is no number.
 */
export function renderVectors(vectors: readonly WireVector[], format: VectorFormat): readonly object[] | null {
  const data: object[] = []
  for (const [index, vector] of vectors.entries()) {
    const embedding = encode(vector, format)
    if (embedding === null) return null
    data.push({ object: 'embedding', index, embedding })
  }
  return data
}
