/** How the work on a text grows with its length, by the time of the processor and not by the clock on the wall. */

/** Work below this is never called slow: what else a process does weighs more, in milliseconds. */
const NOISE_MS = 40
/** Doubling a text doubles linear work, and makes four times as much of what grows with its square. */
const GROWTH_MAX = 3
const TRIES = 6
/** What grows too much does so each time; what a machine was disturbed by goes. */
const ROUNDS = 3

async function leastCpuMs(work: () => unknown): Promise<number> {
  let least = Infinity
  for (let tried = 0; tried < TRIES; tried++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
    if (least < NOISE_MS) return least
  }
  return least
}

/**
 * Says by how much the work on a text of twice the length is more, where that is more than linear.
 *
 * @param textOf makes the text of a length.
 * @returns null where the work is linear, or too little to tell.
 */
export async function growthAboveLinear(
  length: number,
  textOf: (length: number) => string,
  work: (text: string) => unknown,
): Promise<number | null> {
  const [short, long] = [textOf(length), textOf(2 * length)]
  let growth = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const longMs = await leastCpuMs(() => work(long))
    if (longMs < NOISE_MS) return null
    growth = longMs / (await leastCpuMs(() => work(short)))
    if (growth <= GROWTH_MAX) return null
  }
  return growth
}
