import { RefusedAudioError } from '../audio-length.ts'

/** Sample rates of audio files that people record, in Hz. Outside them a header is broken, or wants to be believed. */
const RATE_LEAST = 1_000
/** The highest that recorders and converters of audio have. */
const RATE_MOST = 768_000
/** As many as one multichannel link carries. Source: AES10. */
const CHANNELS_MOST = 64

/**
 * A sample rate and channels that a format can have.
 *
 * @param rateMost of the format; absent for one that has no bound of its own.
 * @throws {RefusedAudioError} for any other.
 */
export function boundedSamples(
  rate: number,
  channels: number,
  rateMost = RATE_MOST,
): { rate: number; channels: number } {
  if (!(rate >= RATE_LEAST && rate <= rateMost)) {
    throw new RefusedAudioError(`Its header gives a sample rate that is not ${RATE_LEAST} to ${rateMost} Hz.`)
  }
  if (!(channels >= 1 && channels <= CHANNELS_MOST)) {
    throw new RefusedAudioError(`Its header gives a number of channels that is not 1 to ${CHANNELS_MOST}.`)
  }
  return { rate, channels }
}
