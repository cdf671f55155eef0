import { bytesOfAddress, flagAt, invalid, type MediaBody, numberAt, textAt } from './media-body.ts'
import type { PixelSize } from './image-size.ts'

/** A request for a video as the sandbox understands it. */
export interface VideoRequest extends PixelSize {
  readonly model: string
  readonly prompt: string
  readonly seconds: number
  /** As prices name it, such as `720p`. */
  readonly resolution: string
  readonly hasAudio: boolean
  readonly firstFrame: Buffer | null
  readonly inputs: number
  readonly seed: string
}

/** Lesser side of the tiers that upstreams name. Source: the OpenRouter API reference, "Create videos". */
const tiers = new Map([
  ['360p', 360],
  ['480p', 480],
  ['720p', 720],
  ['1080p', 1_080],
  ['1k', 1_024],
  ['2k', 1_440],
  ['4k', 2_160],
])
const SECONDS = { min: 1, max: 60 } as const
const SIDE_MIN = 64
const SIDE_MAX = 3_840
/** Pixels of all seconds together: a minute of 1080p. Source: own choice; encoding them takes about a minute. */
const PIXEL_SECONDS_MAX = 1_920 * 1_080 * 60
const PROMPT_MAX = 32_000

/**
 * Reads OpenRouter's JSON or OpenAI's form.
 * @throws {SandboxError} 400 for what an upstream would refuse.
 */
export function readVideoRequest(body: MediaBody, sandboxSeed: string): VideoRequest {
  const model = textAt(body, 'model')
  if (model === null) throw invalid('model: expected text')
  const prompt = textAt(body, 'prompt') ?? ''
  const frames = listAt(body, 'frame_images')
  const references = listAt(body, 'input_references')
  const [file] = body.files.get('input_reference') ?? []
  if (prompt.trim() === '' && frames.length === 0 && file === undefined) throw invalid('prompt: expected text')
  if ([...prompt].length > PROMPT_MAX) throw invalid(`prompt: at most ${PROMPT_MAX} characters`)
  const seconds = Math.round(numberAt(body, 'duration', SECONDS) ?? numberAt(body, 'seconds', SECONDS) ?? 5)
  const { width, height, resolution } = videoSize(body)
  if (width * height * seconds > PIXEL_SECONDS_MAX) throw invalid('size: too many pixels for so many seconds')
  const [first] = [...frames, ...references.filter((each) => Reflect.has(Object(each), 'image_url'))]
  const seed = body.fields['seed'] ?? null
  return {
    ...{ model, prompt, seconds, width, height, resolution },
    hasAudio: flagAt(body, 'generate_audio'),
    firstFrame: file ?? (first === undefined ? null : bytesOfAddress(Reflect.get(Object(first), 'image_url'))),
    inputs: frames.length + references.length + (file === undefined ? 0 : 1),
    seed: `${sandboxSeed}|${typeof seed === 'number' || typeof seed === 'string' ? seed : prompt}`,
  }
}

function listAt({ fields }: MediaBody, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

function videoSize(body: MediaBody): PixelSize & { readonly resolution: string } {
  const asked = textAt(body, 'resolution')
  const [, wide, high] = /^(\d{1,4})x(\d{1,4})$/.exec(textAt(body, 'size') ?? '') ?? []
  if (wide !== undefined && high !== undefined) {
    const size = { width: Number(wide), height: Number(high) }
    const lesser = Math.min(size.width, size.height)
    const named = [...tiers].find(([, side]) => side === lesser)?.[0]
    return bounded({ ...size, resolution: asked ?? named ?? `${lesser}p` })
  }
  const resolution = asked ?? textAt(body, 'size') ?? '720p'
  const lesser = tiers.get(resolution.toLowerCase())
  if (lesser === undefined) throw invalid(`resolution: ${resolution.slice(0, 40)} is not known`)
  const [, across = '16', down = '9'] = /^(\d{1,2}):(\d{1,2})$/.exec(textAt(body, 'aspect_ratio') ?? '') ?? []
  const ratio = Number(across) / Number(down)
  if (!(ratio > 0 && Number.isFinite(ratio))) throw invalid('aspect_ratio: expected two numbers')
  return bounded({
    width: ratio >= 1 ? lesser * ratio : lesser,
    height: ratio >= 1 ? lesser : lesser / ratio,
    resolution,
  })
}

/** Encoders want even numbers. */
function bounded<Size extends PixelSize>(size: Size): Size {
  const even = { ...size, width: Math.round(size.width / 2) * 2, height: Math.round(size.height / 2) * 2 }
  const isIn = [even.width, even.height].every((side) => side >= SIDE_MIN && side <= SIDE_MAX)
  if (!isIn) throw invalid(`size: each side has ${SIDE_MIN} to ${SIDE_MAX} pixels`)
  return even
}
