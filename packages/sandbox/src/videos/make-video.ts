import H264 from 'h264-mp4-encoder'
import {
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { decode, iconIndex } from '../images/make-image.ts'
import type { Pixels } from '../images/render-svg.ts'
import { composeFrame, renderLayers } from '../images/scene-layers.ts'
import { composeScene } from '../images/scene.ts'
import { addSpokenTrack } from './spoken-track.ts'
import type { VideoJob } from './video-job.ts'

/** Frames a second; fewer where each costs much. Source: own choice. */
const RATE = 24
const LARGE_RATE = 12
const LARGE_PIXELS = 600_000
/** The encoder's fastest, and how coarse it may be: 0 to 51. Source: h264-mp4-encoder. */
const SPEED = 10
const COARSENESS = 28
/** Frames between which others report. */
const REPORT_EVERY = 6

/** Makes an MP4 file with H.264 whose index comes first, so that it plays while it loads. */
export async function makeVideo(job: VideoJob, onProgress: (percent: number) => void): Promise<Uint8Array> {
  const { width, height, prompt, seed } = job
  const back = job.firstFrame === null ? null : await pixelsOf(job.firstFrame, job)
  const scene = composeScene(iconIndex(), prompt, seed)
  const layers = renderLayers(scene, job, { caption: `SVC sandbox: ${prompt}`, back })
  const rate = width * height > LARGE_PIXELS ? LARGE_RATE : RATE
  const frames = Math.round(job.seconds * rate)
  const encoder = await H264.createH264MP4Encoder()
  encoder.width = width
  encoder.height = height
  encoder.frameRate = rate
  encoder.speed = SPEED
  encoder.quantizationParameter = COARSENESS
  encoder.groupOfPictures = rate * 2
  encoder.initialize()
  const frame: Pixels = { width, height, rgba: new Uint8Array(width * height * 4) }
  for (let at = 0; at < frames; at += 1) {
    composeFrame(frame, layers, at / Math.max(1, frames - 1), at / rate)
    encoder.addFrameRgba(frame.rgba)
    if (at % REPORT_EVERY === 0) onProgress(Math.floor((at / frames) * 95))
  }
  encoder.finalize()
  const file = encoder.FS.readFile(encoder.outputFilename)
  encoder.FS.unlink(encoder.outputFilename)
  encoder.delete()
  return indexFirst(file, job)
}

async function pixelsOf(file: Uint8Array, { width, height }: VideoJob): Promise<Pixels> {
  const { default: sharp } = await import('sharp')
  const png = await decode(file, { width, height }, 0)
  const rgba = await sharp(png).flatten({ background: '#ffffff' }).ensureAlpha().raw().toBuffer()
  return { width, height, rgba }
}

/** Writes the same images anew with the index before them, and the voice beside them. */
async function indexFirst(file: Uint8Array, job: VideoJob): Promise<Uint8Array> {
  const input = new Input({ formats: [MP4], source: new BufferSource(file) })
  const track = await input.getPrimaryVideoTrack()
  const config = await track?.getDecoderConfig()
  if (!track || !config) throw new Error('The encoder wrote no video.')
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  const images = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(images)
  const speak = job.hasAudio ? await addSpokenTrack(output, job) : null
  await output.start()
  for await (const packet of new EncodedPacketSink(track).packets()) {
    await images.add(packet, { decoderConfig: config })
  }
  await speak?.()
  await output.finalize()
  return withoutTimes(Buffer.from(target.buffer ?? new ArrayBuffer(0)))
}

/**
 * Clears when the file was made, so that equal wishes give equal files. Source: ISO 14496-12, sections 8.2.2 to 8.4.2.
 */
function withoutTimes(file: Buffer): Uint8Array {
  const end = file.indexOf('mdat')
  for (const kind of ['mvhd', 'tkhd', 'mdhd']) {
    for (let at = file.indexOf(kind); at >= 0 && at < end; at = file.indexOf(kind, at + 4)) {
      // Behind the kind: version, three bytes of flags, and two times of 32 or 64 bits.
      file.fill(0, at + 8, at + 8 + (file.readUInt8(at + 4) === 0 ? 8 : 16))
    }
  }
  return file
}
