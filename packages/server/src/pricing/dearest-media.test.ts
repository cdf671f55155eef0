import { expect, test } from 'vitest'
import { dearestMedia } from './dearest-media.ts'
import { createRandom } from '../../testing/random.ts'
import { highestImageRate, likelyImageRate } from './image-rate.ts'
import type { ImagePrices, MediaPrices, VideoPrices } from './media-price.ts'
import { attoUsdOf } from './usd.ts'
import { videoRate } from './video-rate.ts'

const usd = (micro: number) => attoUsdOf(BigInt(micro) * 10n ** 12n)

function images(variants: readonly (readonly [quality: string, size: string, micro: number])[], more: object = {}) {
  const listed = variants.map(([quality, size, micro]) => ({
    ...{ resolution: null, mode: null, quality, size, perImage: usd(micro) },
  }))
  const perImage = usd(Math.min(...variants.map(([, , micro]) => micro)))
  const rest = { perImage, variants: listed, perInputImage: null, perRequest: null, ...more }
  return { type: 'image', ...rest } satisfies ImagePrices
}

const QUALITIES = ['low', 'medium', 'high'] as const
const SIZES = ['1024x1024', '1024x1536'] as const

test('images are shown at the dearest of all lists that have the same settings, whichever that is for each', () => {
  const list = (price: (at: number) => number) =>
    images(QUALITIES.flatMap((quality, row) => SIZES.map((size, at) => [quality, size, price(row * 2 + at)] as const)))
  const rising = list((at) => 10 + at * 10)
  const falling = list((at) => 65 - at * 10)
  const shown = dearestMedia([rising, falling])
  if (shown.type !== 'image') throw new Error('these are images')
  for (const quality of QUALITIES) {
    for (const size of SIZES) {
      const settings = { quality, size, resolution: null }
      const [left, right] = [likelyImageRate(rising, settings), likelyImageRate(falling, settings)]
      expect(likelyImageRate(shown, settings)).toBe(left > right ? left : right)
    }
  }
  expect(shown.perImage).toBe(usd(15))
})

test('a setting that one list alone knows is shown at what the others would take for it', () => {
  const plain = { ...images([['low', '1024x1024', 50]]), variants: [] }
  const shown = dearestMedia([images([['low', '1024x1024', 10]]), plain])
  expect(shown).toMatchObject({
    perImage: usd(50),
    variants: [
      { quality: 'low', perImage: usd(50) },
      { quality: null, perImage: usd(50) },
    ],
  })
})

test('what is sold beside the renders is the dearest that any upstream asks, and nothing where none does', () => {
  const one = images([['low', '1024x1024', 1]], { perInputImage: usd(3) })
  const other = images([['low', '1024x1024', 1]], { perInputImage: usd(5), perRequest: usd(2) })
  expect(dearestMedia([one, other])).toMatchObject({
    ...{ perInputImage: usd(5), perRequest: usd(2), perInputToken: null, perInputImageToken: null },
  })
})

test('videos are shown at the dearest of each variant, with the first one’s settings where none names any', () => {
  const video = (resolution: string, micro: number, more: object = {}): VideoPrices => ({
    ...{ type: 'video', perSecond: usd(micro), defaultResolution: resolution, defaultAudio: null },
    ...{ variants: [{ resolution, audio: null, perSecond: usd(micro) }], perInputImage: null, minimum: null },
    ...more,
  })
  const shown = dearestMedia([video('720p', 10), video('1080p', 4, { minimum: usd(9) })])
  if (shown.type !== 'video') throw new Error('these are videos')
  expect(shown).toMatchObject({ defaultResolution: '720p', perSecond: usd(10), minimum: usd(9) })
  expect(videoRate(shown, { resolution: '1080p', hasAudio: null })).toBe(usd(10))
})

test.each<readonly [string, readonly [MediaPrices, ...MediaPrices[]], object]>([
  [
    'characters at the dearer',
    [
      { type: 'speech', unit: 'character', perUnit: usd(1) },
      { type: 'speech', unit: 'character', perUnit: usd(2) },
    ],
    { unit: 'character', perUnit: usd(2) },
  ],
  [
    'bytes where one sells so, since a text has no fewer of them',
    [
      { type: 'speech', unit: 'character', perUnit: usd(2) },
      { type: 'speech', unit: 'byte', perUnit: usd(1) },
    ],
    { unit: 'byte', perUnit: usd(2) },
  ],
  [
    'seconds at the dearer',
    [
      { type: 'transcription', perSecond: usd(3) },
      { type: 'transcription', perSecond: usd(1) },
    ],
    { perSecond: usd(3) },
  ],
  ['one list as it is', [{ type: 'transcription', perSecond: usd(3) }], { perSecond: usd(3) }],
])('audio is shown by %s', (_how, lists, shown) => {
  expect(dearestMedia(lists)).toMatchObject(shown)
})

const random = createRandom()
const SIZE_NAMES = [null, null, '512x512', '1024x1024', '1024x1536', '2048x2048', '2MP', '1K', '2K', '4K'] as const
const QUALITY_NAMES = [null, null, 'low', 'medium', 'high', 'hd'] as const
/** One of them; null is one, too. */
const oneOf = <Value>(values: readonly Value[]): Value => values[random.below(values.length)] as Value
const isTier = (name: string | null): boolean => name !== null && name.endsWith('K')

/** A list as upstreams have them: plain, by size, by quality, by both, or anyhow. */
function randomList(): ImagePrices {
  const count = oneOf([0, 1, 2, 3, 6, 12])
  const shape = oneOf(['sizes', 'qualities', 'both', 'both'] as const)
  const variants = Array.from({ length: count }, () => {
    const name = shape === 'qualities' ? null : oneOf(SIZE_NAMES)
    return {
      ...(isTier(name) ? { resolution: name, size: null } : { resolution: null, size: name }),
      quality: shape === 'sizes' ? null : oneOf(QUALITY_NAMES),
      mode: null,
      perImage: usd(1 + random.below(60)),
    }
  })
  const prices = variants.map(({ perImage }) => perImage)
  const perImage = prices.length === 0 ? usd(1 + random.below(60)) : prices.reduce((a, b) => (b < a ? b : a))
  return { type: 'image', perImage, variants, perInputImage: null, perRequest: null }
}

/** The same settings at other prices: what two upstreams of one model mostly have. */
function repriced(list: ImagePrices): ImagePrices {
  const variants = list.variants.map((variant) => ({ ...variant, perImage: usd(1 + random.below(60)) }))
  const prices = variants.map(({ perImage }) => perImage)
  return prices.length === 0 ? list : { ...list, variants, perImage: prices.reduce((a, b) => (b < a ? b : a)) }
}

function randomSettings() {
  const pixels = `${1 + random.below(9_000)}x${1 + random.below(9_000)}`
  const name = oneOf([...SIZE_NAMES, pixels, pixels, '8192x8192', '1.5K'])
  const quality = oneOf([...QUALITY_NAMES, 'auto', 'standard', 'unheard-of'])
  return random.below(3) === 0 ? { size: null, resolution: name, quality } : { size: name, resolution: null, quality }
}

test(`no image can cost more at an upstream than the one list of all says (seed ${random.seed})`, () => {
  for (let round = 0; round < 2_000; round++) {
    const first = randomList()
    const others = Array.from({ length: 1 + random.below(2) }, () =>
      random.below(2) === 0 ? repriced(first) : randomList(),
    )
    const shown = dearestMedia([first, ...others])
    if (shown.type !== 'image') throw new Error('these are images')
    for (let ask = 0; ask < 6; ask++) {
      const settings = randomSettings()
      const most = highestImageRate(shown, settings)
      const charges = [first, ...others].map((list) => highestImageRate(list, settings))
      if (charges.every((charge) => charge <= most)) continue
      const found: object = { seed: random.seed, settings, most, charges, shown, lists: [first, ...others] }
      expect.fail(JSON.stringify(found, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
    }
  }
})
