import { expect, test } from 'vitest'
import { createRandom } from '../../../testing/random.ts'
import { findLongStrings } from './find-long-strings.ts'
import { QUOTE, stringEnd } from './json-bytes.ts'

/** A text that owns its memory, as a large body does. */
function owned(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.from(new Uint8Array(bytes).buffer)
}

function endsOf(text: Buffer): readonly number[] {
  const ends: number[] = []
  for (let at = text.indexOf(QUOTE); at !== -1; at = text.indexOf(QUOTE, ends.at(-1))) ends.push(stringEnd(text, at))
  return ends
}

test('strings end where they ended before their ends were known, in the text and in its parts', async () => {
  const random = createRandom()
  const units = ['x', '\\\\', '\\"', '\\u0041', 'é', ' ']
  for (let round = 0; round < 60; round++) {
    const parts = Array.from({ length: 8 }, () => random.pick(units).repeat(random.pick([1, 50, 300, 300_000])))
    const text = owned(`[${parts.map((part) => `"${part}"`).join(',')}${random.pick([']', '', '"', '\\'])}`)
    const [from, to] = [random.below(text.length), random.below(text.length)].toSorted((one, other) => one - other)
    const part = text.subarray(from, to)
    const before = [endsOf(text), endsOf(part)]
    await findLongStrings(text, () => Promise.resolve())
    expect([random.seed, endsOf(text), endsOf(part)]).toEqual([random.seed, ...before])
  }
})

test.each(['\\"', '\\\\', 'x\\"'])(
  'a string of 16 MiB of %s is found in turns of 512 KiB, and passed in one step then',
  async (unit) => {
    const text = owned(`"${unit.repeat(16_777_216 / unit.length)}"`)
    let turns = 0
    await findLongStrings(text, () => Promise.resolve(void turns++))
    expect(turns).toBeGreaterThan(30)
    const before = process.cpuUsage()
    for (let time = 0; time < 1_000; time++) expect(stringEnd(text, 0)).toBe(text.length)
    const { user, system } = process.cpuUsage(before)
    // Once through it takes longer than that.
    expect(user + system).toBeLessThan(1_000_000)
  },
)

test('memory that several texts share is not remembered: it may hold another text next', async () => {
  const shared = Buffer.alloc(4_000, 'x')
  const first = shared.subarray(0, 2_000)
  first.write('"', 0)
  first.write('"', 1_500)
  await findLongStrings(first, () => Promise.resolve())
  first.write('"', 1_000)
  expect(stringEnd(first, 0)).toBe(1_001)
})
