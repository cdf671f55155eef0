/** Images as sixels: bands of six lines, one colour after the other. Source: DEC STD 070, VT330/VT340 manual. */
import { trimEndOf } from '@svc/contract'
import { type Bitmap, CHANNELS } from './bitmap.ts'

/** Steps of each colour: 6 × 6 × 6 fit into the 256 registers that terminals have. */
const STEPS = 6
const STEP = 255 / (STEPS - 1)
const BAND = 6
/** Below this opacity a pixel is left as the terminal has it. */
const OPAQUE = 128
const NONE = -1
const ESCAPE = '\u001b'
/** A sixel is a character from here on, with one bit for each of its six lines. */
const FIRST_SIXEL = 63
/** From so many equal sixels on a count is shorter. */
const REPEATED = 4

/** Writes an image as a sequence for the terminal. */
export function sixelText(bitmap: Bitmap): string {
  const { width, height } = bitmap
  const registers = dithered(bitmap)
  const used = [...new Set(registers)].filter((register) => register !== NONE).sort((a, b) => a - b)
  const bands: string[] = []
  for (let top = 0; top < height; top += BAND) {
    bands.push(bandText(registers.subarray(top * width, (top + BAND) * width), width))
  }
  return `${ESCAPE}P0;1;0q"1;1;${width};${height}${used.map(definition).join('')}${bands.join('-')}${ESCAPE}\\`
}

/** Red, green and blue in percent. */
function definition(register: number): string {
  const [red, green, blue] = [Math.floor(register / STEPS ** 2), Math.floor(register / STEPS) % STEPS, register % STEPS]
  return `#${register};2;${[red, green, blue].map((step) => Math.round((step * 100) / (STEPS - 1))).join(';')}`
}

/**
 * The register of each pixel. What one is off by is made up for in its neighbours. Source: Floyd and Steinberg, 1976.
 */
function dithered({ width, height, pixels }: Bitmap): Int16Array {
  const registers = new Int16Array(width * height).fill(NONE)
  const wanted = Float32Array.from(pixels)
  const pass = (at: number, channel: number, part: number): void => {
    wanted[at * CHANNELS + channel] = (wanted[at * CHANNELS + channel] ?? 0) + part / 16
  }
  for (let at = 0; at < registers.length; at += 1) {
    if ((pixels[at * CHANNELS + 3] ?? 0) < OPAQUE) continue
    const isLast = at % width === width - 1
    let register = 0
    for (let channel = 0; channel < 3; channel += 1) {
      const value = wanted[at * CHANNELS + channel] ?? 0
      const step = Math.min(STEPS - 1, Math.max(0, Math.round(value / STEP)))
      const off = value - step * STEP
      register = register * STEPS + step
      if (!isLast) pass(at + 1, channel, off * 7)
      if (at % width > 0) pass(at + width - 1, channel, off * 3)
      pass(at + width, channel, off * 5)
      if (!isLast) pass(at + width + 1, channel, off)
    }
    registers[at] = register
  }
  return registers
}

/** One band: for each colour in it a line of sixels; `$` goes back to its start. */
function bandText(registers: Int16Array, width: number): string {
  const colours = [...new Set(registers)].filter((register) => register !== NONE)
  return colours.map((register) => `#${register}${repeated(sixelsOf(registers, width, register))}`).join('$')
}

function sixelsOf(registers: Int16Array, width: number, register: number): string {
  const bits = new Uint8Array(width)
  for (let at = registers.indexOf(register); at >= 0; at = registers.indexOf(register, at + 1)) {
    bits[at % width] = (bits[at % width] ?? 0) | (1 << Math.floor(at / width))
  }
  return String.fromCharCode(...bits.map((bit) => bit + FIRST_SIXEL))
}

function repeated(sixels: string): string {
  return trimEndOf(sixels, '?').replaceAll(/(.)\1*/gs, (run, sixel: string) =>
    run.length < REPEATED ? run : `!${run.length}${sixel}`,
  )
}
