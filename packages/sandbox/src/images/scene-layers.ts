import { renderPixels, type Pixels } from './render-svg.ts'
import type { Scene, SceneObject } from './scene.ts'
import { drawIcon, drawScene } from './scene-svg.ts'

/** A scene taken apart, so that each image of a video is put together from pixels and drawn only once. */
export interface SceneLayers {
  readonly back: Pixels
  readonly sprites: readonly { readonly object: SceneObject; readonly pixels: Pixels }[]
  /** Lies over everything. */
  readonly front: Pixels
}

/**
 * Draws each part of a scene once.
 * @param back takes the place of sky and land; null draws them.
 */
export function renderLayers(
  scene: Scene,
  size: { readonly width: number; readonly height: number },
  { caption, back }: { readonly caption: string; readonly back: Pixels | null },
): SceneLayers {
  const side = Math.min(size.width, size.height)
  const plain = { ...size, objects: [] }
  const quiet: Scene = { ...scene, filter: 'none' }
  return {
    back: back ?? renderPixels(drawScene(quiet, { ...plain, isTransparent: false, caption: null })),
    sprites: scene.objects.map((object) => ({
      object,
      pixels: renderPixels(drawIcon(object, Math.max(2, Math.round(object.size * side)))),
    })),
    front: renderPixels(drawScene(quiet, { ...plain, isTransparent: true, caption })),
  }
}

/** Puts the image together that belongs to a time. @param part of the whole, from 0 to 1. @param seconds since 0. */
export function composeFrame(target: Pixels, layers: SceneLayers, part: number, seconds: number): void {
  target.rgba.set(layers.back.rgba)
  for (const [at, { object, pixels }] of layers.sprites.entries()) {
    const drift = object.moves ? (part - 0.5) * 0.5 : Math.sin(seconds * 1.3 + at) * 0.02
    const bob = Math.sin(seconds * (object.moves ? 7 : 2) + at * 1.7) * (object.layer === 'sky' ? 0.005 : 0.015)
    const left = Math.round((object.x + drift) * target.width - pixels.width / 2)
    const top = Math.round((object.y + bob) * target.height - pixels.height / 2)
    blend(target, pixels, left, top)
  }
  blend(target, layers.front, 0, 0)
}

/** Lays pixels over others; both have their alpha multiplied in. What is outside is left out. */
function blend(target: Pixels, source: Pixels, left: number, top: number): void {
  const firstX = Math.max(0, -left)
  const endX = Math.min(source.width, target.width - left)
  for (let y = Math.max(0, -top); y < Math.min(source.height, target.height - top); y += 1) {
    let from = (y * source.width + firstX) * 4
    let to = ((y + top) * target.width + firstX + left) * 4
    for (let x = firstX; x < endX; x += 1, from += 4, to += 4) blendPixel(target.rgba, source.rgba, from, to)
  }
}

function blendPixel(target: Uint8Array, source: Uint8Array, from: number, to: number): void {
  const alpha = source[from + 3] ?? 0
  if (alpha === 0) return
  const rest = 255 - alpha
  for (let channel = 0; channel < 3; channel += 1) {
    const below = rest === 0 ? 0 : ((target[to + channel] ?? 0) * rest + 127) / 255
    target[to + channel] = (source[from + channel] ?? 0) + below
  }
  target[to + 3] = 255
}
