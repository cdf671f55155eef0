import type { Sharp } from 'sharp'
import { SandboxError } from '../sandbox-error.ts'
import { type IconIndex, loadIconIndex } from './icon-index.ts'
import type { ImageFrame, ImageJob } from './image-job.ts'
import { renderPng } from './render-svg.ts'
import { composeScene, type Scene, type SceneObject } from './scene.ts'
import { drawScene } from './scene-svg.ts'

let index: IconIndex | null = null

/** The drawings, loaded once in a thread. */
export function iconIndex(): IconIndex {
  index ??= loadIconIndex()
  return index
}

/** How much the partial images are blurred, the last the least. */
const BLURS = [24, 10, 4]

/**
 * Makes an image: first the partial ones, last the whole.
 * @throws {SandboxError} 400 when an input is no image.
 */
export async function makeImage(job: ImageJob): Promise<Uint8Array[]> {
  const { frame, prompt, seed } = job
  const scene = composeScene(iconIndex(), prompt, seed)
  const caption = `SVC sandbox: ${prompt}`
  if (job.inputs.length > 0) return finish(await editImage(job, scene, caption), job)
  const svg = drawScene(scene, { ...frame, objects: scene.objects, caption: frame.isTransparent ? null : caption })
  if (frame.format === 'svg') return [Buffer.from(svg)]
  const png = renderPng(svg)
  if (frame.format === 'png' && job.partials === 0) return [png]
  const sharp = await loadSharp()
  return finish(sharp(png), job)
}

async function finish(whole: Sharp, { frame, partials }: ImageJob): Promise<Uint8Array[]> {
  const flat = await whole.png({ compressionLevel: 3 }).toBuffer()
  const sharp = await loadSharp()
  const blurs = BLURS.slice(BLURS.length - partials)
  const blurred = blurs.map((blur) => encode(sharp(flat).blur((blur * Math.max(frame.width, 256)) / 1024), frame))
  return Promise.all([...blurred, encode(sharp(flat), frame)])
}

async function encode(image: Sharp, { format, quality, isTransparent }: ImageFrame): Promise<Uint8Array> {
  const opaque = isTransparent && format !== 'jpeg' ? image : image.flatten({ background: '#ffffff' })
  switch (format) {
    case 'jpeg':
      return opaque.jpeg({ quality: clampQuality(quality, 85) }).toBuffer()
    case 'webp':
      return opaque.webp({ quality: clampQuality(quality, 85) }).toBuffer()
    case 'png':
    case 'svg':
      return opaque.png({ compressionLevel: 6 }).toBuffer()
  }
}

function clampQuality(quality: number | null, usual: number): number {
  return Math.min(100, Math.max(1, quality ?? usual))
}

/** Changes that words of a prompt ask for, beside what they add. */
const changes: readonly { readonly words: RegExp; readonly apply: (image: Sharp) => Sharp }[] = [
  { words: /black and white|monochrome|gr[ae]yscale/i, apply: (image) => image.grayscale() },
  { words: /\bblur/i, apply: (image) => image.blur(6) },
  { words: /\b(invert|negative)\b/i, apply: (image) => image.negate({ alpha: false }) },
  { words: /\b(bright|lighter)/i, apply: (image) => image.modulate({ brightness: 1.35 }) },
  { words: /\b(dark|darker|night)\b/i, apply: (image) => image.modulate({ brightness: 0.55 }) },
  { words: /\b(mirror|flip)/i, apply: (image) => image.flop() },
  { words: /upside down/i, apply: (image) => image.flip() },
  { words: /\b(vivid|colorful|colourful|saturat)/i, apply: (image) => image.modulate({ saturation: 1.8 }) },
]

async function editImage(job: ImageJob, scene: Scene, caption: string): Promise<Sharp> {
  const { frame, inputs, prompt } = job
  const { width, height } = frame
  const sharp = await loadSharp()
  const [first, ...others] = await Promise.all(inputs.map((input, at) => decode(input, frame, at)))
  let base = sharp(first)
  for (const { words, apply } of changes) if (words.test(prompt)) base = apply(base)
  const bounds = job.mask === null ? { left: 0, top: 0, width: 1, height: 1 } : await maskBounds(job.mask)
  const objects = scene.objects.map((object) => within(object, bounds))
  const layer = renderPng(
    drawScene({ ...scene, filter: 'none' }, { width, height, isTransparent: true, objects, caption }),
  )
  const side = Math.round(Math.min(width, height) * 0.22)
  const insets = await Promise.all(
    others.slice(0, 4).map(async (other, at) => ({
      input: await sharp(other).resize(side, side, { fit: 'cover' }).toBuffer(),
      left: Math.round(side * 0.15) + at * Math.round(side * 1.1),
      top: Math.round(side * 0.15),
    })),
  )
  const flat = await base.png({ compressionLevel: 1 }).toBuffer()
  return sharp(flat).composite([...insets.filter(({ left }) => left + side <= width), { input: Buffer.from(layer) }])
}

interface Bounds {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

function within(object: SceneObject, bounds: Bounds): SceneObject {
  return {
    ...object,
    x: bounds.left + object.x * bounds.width,
    y: bounds.top + object.y * bounds.height,
    size: object.size * Math.min(bounds.width, bounds.height),
  }
}

/** Where a mask is transparent, as parts of its width and height; the whole where it is nowhere. */
async function maskBounds(mask: Uint8Array): Promise<Bounds> {
  const sharp = await loadSharp()
  const side = 64
  const alpha = await sharp(mask, { limitInputPixels: INPUT_PIXELS_MAX })
    .ensureAlpha()
    .extractChannel('alpha')
    .resize(side, side, { fit: 'fill' })
    .raw()
    .toBuffer()
    .catch(() => {
      throw new SandboxError(400, 'invalid_image', 'The mask is no image that can be read.')
    })
  let [left, top, right, bottom] = [side, side, -1, -1]
  for (let at = 0; at < side * side; at += 1) {
    if ((alpha[at] ?? 255) > 127) continue
    const [x, y] = [at % side, Math.floor(at / side)]
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x)
    bottom = Math.max(bottom, y)
  }
  if (right < left) return { left: 0, top: 0, width: 1, height: 1 }
  return { left: left / side, top: top / side, width: (right - left + 1) / side, height: (bottom - top + 1) / side }
}

/** Pixels of an image that is read, at most: what a small file can unfold to. Source: own choice. */
const INPUT_PIXELS_MAX = 50_000_000

/** Reads a given image and brings it to size. @throws {SandboxError} 400 when it is none. */
export async function decode(
  input: Uint8Array,
  frame: Pick<ImageFrame, 'width' | 'height'>,
  at: number,
): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(input, { limitInputPixels: INPUT_PIXELS_MAX })
    .rotate()
    .resize(frame.width, frame.height, { fit: 'cover' })
    .png({ compressionLevel: 1 })
    .toBuffer()
    .catch(() => {
      throw new SandboxError(400, 'invalid_image', `Image ${at + 1} is no image that can be read.`)
    })
}

async function loadSharp(): Promise<typeof import('sharp').default> {
  const { default: sharp } = await import('sharp')
  // Frames of one image are not worth threads of their own.
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}
