import { parseArgs } from 'node:util'

/** Numbers and words of a command line, each with its default. */
export interface Options {
  /** @throws when the text is no whole number of at least `min`. */
  number(name: string, min?: number): number
  /** Null when it was not given and has no default. */
  text(name: string): string | null
}

/**
 * Reads `--name value` pairs. The seed is random where none is given; it is printed by whoever uses it.
 *
 * @throws when a name is not known.
 */
export function readOptions(defaults: Readonly<Record<string, string | null>>): Options {
  const names = Object.keys(defaults)
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
  })
  const text = (name: string): string | null => {
    const given = values[name]
    return typeof given === 'string' ? given : (defaults[name] ?? null)
  }
  return {
    text,
    number(name, min = 0) {
      const value = Number(text(name))
      if (!Number.isSafeInteger(value) || value < min) throw new Error(`--${name} must be a whole number from ${min}`)
      return value
    },
  }
}

/** A seed for a run that nobody asked to repeat. */
export function freshSeed(): string {
  return String(Date.now() % 1_000_000)
}
