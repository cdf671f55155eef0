/** Bytes of the header that `streamedWavHeader` makes. */
const HEADER_BYTES = 44
const BYTES_PER_SAMPLE = 2
const PCM = 1
/** Means a length that is not known when the header is sent; players then read to the end. */
const UNKNOWN_LENGTH = 0xff_ff_ff_ff

/**
 * Makes the header of a WAV file of 16-bit samples whose end is not known yet.
 *
 * Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0", chapter WAVE.
 */
export function streamedWavHeader({ rate, channels }: { readonly rate: number; readonly channels: number }): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(UNKNOWN_LENGTH, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(PCM, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * channels * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(channels * BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(UNKNOWN_LENGTH, 40)
  return header
}
