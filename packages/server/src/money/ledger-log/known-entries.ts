import { hash } from 'node:crypto'

/** Digits of a hash that a number can hold exactly. */
const HEX_DIGITS = 13

/**
 * Entries by the beginning of their hash, eight bytes each: ten million fit into 80 MB. That one hides behind another
 * is less likely than that the disk is wrong.
 */
export class KnownEntries {
  #values = new Float64Array(1_024)
  #size = 0
  #isSorted = true

  add(entry: string): void {
    if (this.#size === this.#values.length) {
      const larger = new Float64Array(this.#size * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#size++] = numberOf(entry)
    this.#isSorted = false
  }

  has(entry: string): boolean {
    if (!this.#isSorted) this.#values.subarray(0, this.#size).sort()
    this.#isSorted = true
    const wanted = numberOf(entry)
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#values[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low < this.#size && this.#values[low] === wanted
  }
}

function numberOf(entry: string): number {
  return Number.parseInt(hash('sha256', entry, 'hex').slice(0, HEX_DIGITS), 16)
}
