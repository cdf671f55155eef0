/** Samples on each side that have a part in one. Source: own choice; more is finer and slower. */
const REACH = 16

/** Brings audio from one number of samples a second to another, by a windowed sinc that keeps out what would alias. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to || samples.length === 0) return samples
  const ratio = to / from
  const cutoff = Math.min(1, ratio)
  const reach = Math.ceil(REACH / cutoff)
  const step = stepOf(from, to)
  const kernels = Array.from({ length: step }, (_, phase) =>
    kernelOf((phase / step) * (from / to) * step, reach, cutoff),
  )
  const result = new Float32Array(Math.round(samples.length * ratio))
  for (let at = 0; at < result.length; at += 1) {
    const position = (at * from) / to
    const first = Math.floor(position)
    const kernel = kernels[at % step] ?? kernelOf(position, reach, cutoff)
    let sum = 0
    for (let tap = 0; tap < kernel.length; tap += 1) sum += (kernel[tap] ?? 0) * (samples[first + tap - reach + 1] ?? 0)
    result[at] = sum
  }
  return result
}

/** After so many results the positions between samples repeat. */
function stepOf(from: number, to: number): number {
  let [left, right] = [from, to]
  while (right !== 0) [left, right] = [right, left % right]
  return to / left
}

function kernelOf(position: number, reach: number, cutoff: number): Float64Array {
  const offset = position - Math.floor(position)
  const kernel = new Float64Array(2 * reach)
  let total = 0
  for (let tap = 0; tap < kernel.length; tap += 1) {
    const distance = tap - reach + 1 - offset
    const x = Math.PI * distance * cutoff
    const sinc = Math.abs(x) < 1e-9 ? 1 : Math.sin(x) / x
    const weight = Math.abs(distance) >= reach ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach)
    kernel[tap] = sinc * weight
    total += sinc * weight
  }
  return kernel.map((value) => value / total)
}
