/** Names of models that programs ask for by default, and the model of the catalog that each leads to. */
import { readDataFile } from './data-file.ts'

/** What a name leads to: an alias, or an id with the catalog's prefix or without it. */
type Target = string

/** The file's form. */
export interface ClientNamesFile {
  readonly names: Readonly<Record<string, Target>>
}

/** The bundled names, such as those that coding agents ask for. @throws {InvariantError} when the file is damaged. */
export function usualClientNames(): ReadonlyMap<string, Target> {
  return new Map(Object.entries((readDataFile('client-names.json') as ClientNamesFile).names))
}

/** Where a name leads. */
export interface ClientName {
  readonly target: Target
  /** Whether the operator says so. */
  readonly isOwn: boolean
}

/** The names that hold: the usual ones, and what the operator says in their place. Source: decision 0128. */
export class ClientNames {
  readonly #exact: ReadonlyMap<string, ClientName>
  /** The operator's starts of names, the longest first. */
  readonly #starts: readonly (readonly [start: string, target: Target | null])[]

  /** @param own of the operator; a name may end in a star, and null takes usual names away. */
  constructor(usual: ReadonlyMap<string, Target>, own: ReadonlyMap<string, Target | null>) {
    this.#starts = [...own]
      .flatMap(([name, target]): [string, Target | null][] => (name.endsWith('*') ? [[name.slice(0, -1), target]] : []))
      .sort(([left], [right]) => right.length - left.length)
    const kept = [...usual].filter(([name]) => !own.has(name) && this.#start(name) === undefined)
    this.#exact = new Map([
      ...[...own].flatMap(([name, target]): [string, ClientName][] =>
        target === null || name.endsWith('*') ? [] : [[name, { target, isOwn: true }]],
      ),
      ...kept.map(([name, target]): [string, ClientName] => [name, { target, isOwn: false }]),
    ])
  }

  /** Names that lead somewhere, without those that only begin so: the operator's first. */
  get names(): Iterable<string> {
    return this.#exact.keys()
  }

  /** @returns null for a name that is none of them. */
  find(name: string): ClientName | null {
    const exact = this.#exact.get(name)
    if (exact !== undefined) return exact
    const target = this.#start(name)?.[1] ?? null
    return target === null ? null : { target, isOwn: true }
  }

  #start(name: string): readonly [start: string, target: Target | null] | undefined {
    return this.#starts.find(([start]) => name.startsWith(start))
  }
}
