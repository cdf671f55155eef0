import { createRequire } from 'node:module'
import { Resvg } from '@resvg/resvg-js'
import { CAPTION_FONT } from './scene-svg.ts'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** RGBA, four bytes a pixel, with alpha multiplied in. */
  readonly rgba: Uint8Array
}

let fontFile: string | null = null

function open(svg: string): Resvg {
  fontFile ??= createRequire(import.meta.url).resolve(
    '@expo-google-fonts/patrick-hand/400Regular/PatrickHand_400Regular.ttf',
  )
  return new Resvg(svg, {
    font: { fontFiles: [fontFile], loadSystemFonts: false, defaultFontFamily: CAPTION_FONT },
  })
}

/** Renders SVG to a PNG file. */
export function renderPng(svg: string): Uint8Array {
  return open(svg).render().asPng()
}

/** Renders SVG to pixels. */
export function renderPixels(svg: string): Pixels {
  const image = open(svg).render()
  return { width: image.width, height: image.height, rgba: image.pixels }
}
