import type { Backdrop } from './backdrop.ts'
import type { Scene, SceneObject } from './scene.ts'

export interface SvgOptions {
  readonly width: number
  readonly height: number
  /** Leaves sky and land out. */
  readonly isTransparent: boolean
  /** Written below; null for none. */
  readonly caption: string | null
  /** Leaves these out, for those that are drawn one by one. */
  readonly objects: readonly SceneObject[]
}

/** The family of the font that captions are written in. */
export const CAPTION_FONT = 'Patrick Hand'

/** Draws a scene as SVG. Nothing of the prompt but escaped text gets into it. */
export function drawScene(scene: Scene, options: SvgOptions): string {
  const { width, height, isTransparent, objects, caption } = options
  const parts = [
    isTransparent ? '' : drawBackdrop(scene, width, height),
    isTransparent || scene.objects.length > 0 ? '' : drawAbstract(scene, width, height),
    ...objects.map((object) => drawObject(object, width, height)),
    caption === null ? '' : drawCaption(caption, width, height),
  ]
  const body = scene.filter === 'none' ? parts.join('') : `<g filter="url(#tint)">${parts.join('')}</g>`
  return openSvg(width, height) + tintOf(scene.filter) + body + '</svg>'
}

/** Draws one drawing alone on a square, for images that move. */
export function drawIcon(object: SceneObject, side: number): string {
  const { body, size } = object.icon
  return `${openSvg(side, side)}<svg width="${side}" height="${side}" viewBox="0 0 ${size} ${size}">${body}</svg></svg>`
}

function openSvg(width: number, height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
}

function tintOf(filter: Scene['filter']): string {
  if (filter === 'none') return ''
  const grey = '.33 .5 .17 0 0 .33 .5 .17 0 0 .33 .5 .17 0 0 0 0 0 1 0'
  const sepia = '.39 .77 .19 0 0 .35 .69 .17 0 0 .27 .53 .13 0 0 0 0 0 1 0'
  const values = filter === 'grey' ? grey : sepia
  const opening = '<filter id="tint" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">'
  return `<defs>${opening}<feColorMatrix type="matrix" values="${values}"/></filter></defs>`
}

function drawBackdrop({ backdrop, chance }: Scene, width: number, height: number): string {
  const { sky, isNight } = backdrop
  const gradient =
    `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${sky[0]}"/>` +
    `<stop offset="1" stop-color="${sky[1]}"/></linearGradient></defs>`
  const air = `<rect width="${width}" height="${height}" fill="url(#sky)"/>`
  return (
    gradient + air + (isNight ? drawStars(chance, width, height) : '') + drawLand(backdrop, chance, { width, height })
  )
}

interface Area {
  readonly width: number
  readonly height: number
}

function drawStars(chance: readonly number[], width: number, height: number): string {
  const spots: string[] = []
  for (let at = 0; at + 1 < chance.length; at += 2) {
    const radius = (0.0012 + 0.0016 * (chance[at] ?? 0)) * Math.min(width, height)
    const [x, y] = [(chance[at] ?? 0) * width, (chance[at + 1] ?? 0) * height * 0.6]
    spots.push(
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(2)}" fill="#fff" fill-opacity=".8"/>`,
    )
  }
  return spots.join('')
}

const LAYERS = 3

function drawLand({ shape, land, isNight }: Backdrop, chance: readonly number[], { width, height }: Area): string {
  const layers = Array.from({ length: LAYERS }, (_, layer) => {
    const base = height * (0.62 + 0.1 * layer)
    const points = Array.from({ length: 49 }, (_, step) => {
      const part = step / 48
      return `${(part * width).toFixed(1)} ${(base - lift(shape, part, layer, chance) * height).toFixed(1)}`
    })
    const colour = layer === LAYERS - 1 ? land[1] : land[0]
    const opacity = (0.55 + 0.2 * layer) * (isNight ? 0.8 : 1)
    const line = `M0 ${height} L${points.join(' L')} L${width} ${height}Z`
    return `<path d="${line}" fill="${colour}" fill-opacity="${opacity.toFixed(2)}"/>`
  })
  return layers.join('')
}

/** What a prompt gives whose words name nothing that can be drawn. */
function drawAbstract({ chance, backdrop }: Scene, width: number, height: number): string {
  const side = Math.min(width, height)
  const rings = Array.from({ length: 14 }, (_, at) => {
    const [x = 0, y = 0, hue = 0, radius = 0] = chance.slice(at * 4, at * 4 + 4)
    const colour = `hsl(${Math.round(hue * 360)},65%,${backdrop.isNight ? 70 : 55}%)`
    const reach = `r="${((0.05 + radius * 0.16) * side).toFixed(1)}" stroke-width="${(side * 0.006).toFixed(1)}"`
    const centre = `cx="${(x * width).toFixed(1)}" cy="${(y * height * 0.85).toFixed(1)}"`
    return `<circle ${centre} ${reach} fill="${colour}" fill-opacity=".35" stroke="${colour}"/>`
  })
  return rings.join('')
}

/** How far the land rises above its base there, as a part of the height. */
function lift(shape: Backdrop['shape'], part: number, layer: number, chance: readonly number[]): number {
  const phase = (chance[layer] ?? 0) * 6.283
  const wave = (times: number): number => Math.sin(part * 6.283 * times + phase)
  switch (shape) {
    case 'waves':
      return 0.012 * Math.abs(wave(4 + layer))
    case 'dunes':
      return 0.05 * wave(0.8 + 0.3 * layer) + 0.02 * wave(2.1)
    case 'peaks':
      return layer === LAYERS - 1
        ? 0.02 * wave(1)
        : 0.26 * (1 - Math.abs(((part * (2 + layer) + (chance[layer] ?? 0)) % 1) * 2 - 1)) - 0.05
    case 'roofs':
      return layer === LAYERS - 1
        ? 0
        : 0.05 + 0.2 * (chance[(Math.floor(part * (14 + 4 * layer)) + layer * 20) % 64] ?? 0)
    case 'hills':
      return 0.05 * wave(1 + 0.4 * layer) + 0.02
    case 'none':
      return 0
  }
}

function drawObject({ icon, x, y, size }: SceneObject, width: number, height: number): string {
  const side = size * Math.min(width, height)
  const at = `x="${(x * width - side / 2).toFixed(1)}" y="${(y * height - side / 2).toFixed(1)}"`
  const area = `width="${side.toFixed(1)}" height="${side.toFixed(1)}" viewBox="0 0 ${icon.size} ${icon.size}"`
  return `<svg ${at} ${area}>${icon.body}</svg>`
}

/** Letters of a caption that fit, at half of the font's size each. */
function drawCaption(caption: string, width: number, height: number): string {
  const size = Math.max(9, Math.min(width, height) * 0.036)
  const room = Math.max(8, Math.floor((width - 2 * size) / (size * 0.44)))
  const characters = [...caption.replaceAll(/\s+/g, ' ')]
  const text = characters.length <= room ? characters.join('') : `${characters.slice(0, room - 1).join('')}…`
  const top = height - size * 1.9
  return (
    `<rect x="0" y="${top.toFixed(1)}" width="${width}" height="${(height - top).toFixed(1)}" ` +
    `fill="#101018" fill-opacity=".85"/>` +
    `<text x="${(size * 0.7).toFixed(1)}" y="${(height - size * 0.6).toFixed(1)}" font-family="${CAPTION_FONT}" ` +
    `font-size="${size.toFixed(1)}" fill="#fff">${escapeText(text)}</text>`
  )
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Also drops what XML cannot hold. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[^\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"]/g, (mark) => entities[mark] ?? '')
}
