import { PassThrough, Writable } from 'node:stream'
import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTerminal } from '../terminal/terminal.ts'
import { type Bitmap, shrinkInto } from './bitmap.ts'
import { readPng } from './read-png.ts'
import { imageProtocol, showImage } from './show-image.ts'
import { sixelText } from './sixel.ts'

const ESCAPE = '\u001b'
const OPAQUE = 255

/** An image of random pixels of the colours that sixels have, so that nothing is lost on the way. */
function plainImage(seed: number, width: number, height: number): Bitmap {
  let state = seed
  const next = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % count
  }
  const pixels = new Uint8Array(width * height * 4)
  for (let at = 0; at < pixels.length; at += 4) {
    const opacity = next(8) === 0 ? 0 : OPAQUE
    pixels.set(opacity === 0 ? [0, 0, 0, 0] : [next(6) * 51, next(6) * 51, next(6) * 51, opacity], at)
  }
  return { width, height, pixels }
}

interface PngForm {
  readonly colour: 0 | 2 | 3 | 4 | 6
  readonly filter: 0 | 1 | 2 | 3 | 4
}

/** Writes an image as PNG with the filter on every line; of grey forms only the red is kept. */
function pngOf({ width, height, pixels }: Bitmap, { colour, filter }: PngForm): Buffer {
  const palette: number[][] = []
  const indexOf = (pixel: number[]): number => {
    const found = palette.findIndex((entry) => entry.join() === pixel.join())
    return found >= 0 ? found : palette.push(pixel) - 1
  }
  const samplesOf = (pixel: number[]): number[] => {
    const [red = 0, , , opacity = 0] = pixel
    return { 0: [red], 2: pixel.slice(0, 3), 3: [indexOf(pixel)], 4: [red, opacity], 6: pixel }[colour]
  }
  const lines = Array.from({ length: height }, (_line, y) =>
    Array.from({ length: width }, (_pixel, x) =>
      samplesOf([...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]),
    ).flat(),
  )
  const size = (lines[0]?.length ?? 0) / width
  const filtered = lines.map((line, y) => [
    filter,
    ...line.map((value, at) => value - predict(filter, lines, { y, at, size })),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, colour], 8)
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    part('IHDR', header),
    ...(colour === 3
      ? [
          part(
            'PLTE',
            palette.flatMap((entry) => entry.slice(0, 3)),
          ),
          part(
            'tRNS',
            palette.map((entry) => entry[3] ?? 0),
          ),
        ]
      : []),
    part('IDAT', deflateSync(Uint8Array.from(filtered.flat()))),
    part('IEND', []),
  ])
}

interface Place {
  readonly y: number
  readonly at: number
  readonly size: number
}

function predict(filter: number, lines: readonly number[][], { y, at, size }: Place): number {
  const left = lines[y]?.[at - size] ?? 0
  const above = lines[y - 1]?.[at] ?? 0
  const corner = lines[y - 1]?.[at - size] ?? 0
  if (filter < 3) return [0, left, above][filter] ?? 0
  if (filter === 3) return Math.floor((left + above) / 2)
  const guess = left + above - corner
  return [left, above, corner].toSorted((one, other) => Math.abs(guess - one) - Math.abs(guess - other))[0] ?? 0
}

function part(kind: string, content: Uint8Array | readonly number[]): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), Buffer.from(content)])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(body.length - 4, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

/** Draws sixels as a terminal does: what no sixel touches stays without opacity. */
function draw(text: string): Bitmap {
  const start = `${ESCAPE}P0;1;0q"1;1;`
  expect(text.startsWith(start) && text.endsWith(`${ESCAPE}\\`)).toBe(true)
  const [, frame = '', body = ''] = /^(\d+;\d+)(.*)$/s.exec(text.slice(start.length, -2)) ?? []
  const [width = 0, height = 0] = frame.split(';').map(Number)
  const pixels = new Uint8Array(width * height * 4)
  const colours = new Map<number, number[]>()
  let [x, top, register] = [0, 0, 0]
  for (const [, colour, rgb, count, sixel, control] of body.matchAll(
    /#(\d+)(?:;2;([\d;]+))?|(?:!(\d+))?([?-~])|([$-])/g,
  )) {
    if (colour !== undefined) register = Number(colour)
    if (rgb !== undefined)
      colours.set(
        register,
        rgb.split(';').map((percent) => Math.round(Number(percent) * 2.55)),
      )
    if (control !== undefined) [x, top] = [0, control === '-' ? top + 6 : top]
    if (sixel === undefined) continue
    const rows = [0, 1, 2, 3, 4, 5].filter((bit) => ((sixel.charCodeAt(0) - 63) >> bit) % 2 === 1)
    const past = x + Number(count ?? 1)
    for (; x < past; x += 1) {
      expect(x < width && rows.every((bit) => top + bit < height)).toBe(true)
      const pixel = [...(colours.get(register) ?? []), OPAQUE]
      for (const bit of rows) pixels.set(pixel, ((top + bit) * width + x) * 4)
    }
  }
  return { width, height, pixels }
}

const sides = { width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 20 }), seed: fc.nat() }

describe('sixels', () => {
  test('draw what was given, pixel for pixel where the colours are theirs', () => {
    fc.assert(
      fc.property(fc.record(sides), ({ seed, width, height }) => {
        const image = plainImage(seed, width, height)
        expect(draw(sixelText(image))).toEqual(image)
      }),
    )
  })

  test('draw other colours by mixing: each region has the colour that was meant', () => {
    const pixels = new Uint8Array(60 * 60 * 4).map((_byte, at) => [200, 90, 30, OPAQUE][at % 4] ?? 0)
    const drawn = draw(sixelText({ width: 60, height: 60, pixels }))
    for (const [channel, wanted] of [200, 90, 30].entries()) {
      const values = [...drawn.pixels].filter((_byte, at) => at % 4 === channel)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(Math.abs(mean - wanted)).toBeLessThan(3)
    }
  })
})

describe('a PNG', () => {
  test.each([0, 2, 3, 4, 6] as const)('of colour type %i is read with every filter', (colour) => {
    for (const filter of [0, 1, 2, 3, 4] as const) {
      const image = plainImage(colour * 5 + filter, 17, 11)
      const isGrey = colour === 0 || colour === 4
      const hasOpacity = colour >= 3
      const expected = image.pixels.map((byte, at) => {
        if (at % 4 === 3) return hasOpacity ? byte : OPAQUE
        return isGrey ? (image.pixels[at - (at % 4)] ?? 0) : byte
      })
      expect(readPng(pngOf(image, { colour, filter }))).toEqual({ ...image, pixels: expected })
    }
  })

  test('that is damaged, cut or no PNG at all is not shown, and nothing breaks', () => {
    const whole = pngOf(plainImage(1, 9, 9), { colour: 6, filter: 4 })
    for (let length = 0; length < whole.length - 16; length += 1) expect(readPng(whole.subarray(0, length))).toBeNull()
    expect(readPng(Buffer.from('GIF89a'))).toBeNull()
    const huge = Buffer.from(whole)
    huge.writeUInt32BE(0x7fffffff, 16)
    expect(readPng(huge)).toBeNull()
  })

  test('that is too large for the terminal is made smaller, and keeps its form and colours', () => {
    const pixels = new Uint8Array(1_500 * 500 * 4).fill(OPAQUE)
    expect(shrinkInto({ width: 1_500, height: 500, pixels }, 640, 480)).toEqual({
      width: 640,
      height: 213,
      pixels: new Uint8Array(640 * 213 * 4).fill(OPAQUE),
    })
  })
})

describe('a terminal', () => {
  /** One that answers questions as given; null for one that says nothing. */
  function fakeTerminal(answer: string | null, environment: Record<string, string> = {}) {
    const input = Object.assign(new PassThrough(), {
      isTTY: true,
      raw: [] as boolean[],
      setRawMode: (isRaw: boolean) => void input.raw.push(isRaw),
    })
    const written: string[] = []
    const notes = Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          written.push(chunk.toString())
          if (chunk.toString() === '\u001b[c' && answer !== null) input.write(answer)
          done()
        },
      }),
      { isTTY: true },
    )
    const terminal = createTerminal({ input, out: notes, notes }, environment, new AbortController())
    return { terminal, input, written }
  }

  test('that says it knows sixels gets them, and its input is as before', async () => {
    const { terminal, input, written } = fakeTerminal('\u001b[?62;1;4;22c')
    expect(await imageProtocol(terminal)).toBe('sixel')
    expect(input.raw).toEqual([true, false])
    expect(input.isPaused()).toBe(true)
    const image = plainImage(3, 8, 8)
    await showImage(terminal, 'sixel', pngOf(image, { colour: 6, filter: 0 }))
    expect(draw(written.at(-1)!.trimEnd())).toEqual(image)
  })

  test('that knows none, is another, or never answers gets nothing to print', async () => {
    expect(await imageProtocol(fakeTerminal('\u001b[?62;1;22c').terminal)).toBeNull()
    // The class of the terminal comes first and is no ability.
    expect(await imageProtocol(fakeTerminal('\u001b[?4c').terminal)).toBeNull()
    expect(await imageProtocol(fakeTerminal(null).terminal, 1)).toBeNull()
    const { terminal, written } = fakeTerminal('\u001b[?62;4c', { TERM: 'dumb' })
    expect(await imageProtocol(terminal)).toBeNull()
    expect(written).toEqual([])
  })

  test('that names itself is not asked, but in a multiplexer', async () => {
    const kitty = fakeTerminal('\u001b[?62;4c', { TERM: 'xterm-kitty' })
    expect(await imageProtocol(kitty.terminal)).toBe('kitty')
    expect(kitty.written).toEqual([])
    const inside = fakeTerminal('\u001b[?1;2;4c', { TERM: 'xterm-kitty', TMUX: '/tmp/tmux' })
    expect(await imageProtocol(inside.terminal)).toBe('sixel')
    expect(await imageProtocol(fakeTerminal(null, { TERM_PROGRAM: 'WezTerm' }).terminal)).toBe('iterm')
  })
})
