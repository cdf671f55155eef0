import type { MediaPrices } from '../prices.ts'
import type { MediaDeps } from './begin-media.ts'
import { imageTokens, usedQuality } from './image-tokens.ts'

/** Images in answers are small: they travel as text. Source: own choice. */
const SIDE = 512
const PROMPT_MAX = 2_000

/** Output tokens of an image in an answer of a model with these prices; null where the model makes no images. */
export function chatImageTokens(prices: MediaPrices | undefined): number | null {
  return prices?.type === 'image' ? imageTokens(usedQuality(prices, null), SIDE * SIDE) : null
}

/** Draws what a message says. @returns a data URL; null where there is nothing to draw or nothing to draw with. */
export async function drawForChat({ abilities, studios, options }: MediaDeps, text: string): Promise<string | null> {
  const prompt = text.trim().slice(0, PROMPT_MAX)
  if (prompt === '' || !abilities.has('image')) return null
  const frame = { width: SIDE, height: SIDE, format: 'png', quality: null, isTransparent: false } as const
  const job = {
    kind: 'image',
    prompt,
    seed: `${options.seed}|${prompt}`,
    frame,
    inputs: [],
    mask: null,
    partials: 0,
  } as const
  const result = await studios.image.run(job)
  const [file] = result.kind === 'files' ? result.files : []
  return file === undefined ? null : `data:image/png;base64,${Buffer.from(file).toString('base64')}`
}
