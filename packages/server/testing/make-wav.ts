/** Bytes of a header of `makeWav`. */
export const WAV_HEADER_BYTES = 44

/** A WAV file of silence of exactly so many bytes: 8-bit samples, so many a second. */
export function makeWav(byteLength: number, samplesPerSecond = 8_000): Buffer {
  const wav = Buffer.alloc(byteLength, 0x80)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(byteLength - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(samplesPerSecond, 24)
  wav.writeUInt32LE(samplesPerSecond, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(byteLength - WAV_HEADER_BYTES, 40)
  return wav
}
