interface OpenCall<Made> {
  readonly made: Made
  /** As the upstream sent it; null until it does. */
  id: string | null
}

/**
 * The calls of tools in one streamed answer, by what its pieces carry. Mostly that is a number; some servers give all
 * calls the same, or none, and tell them apart by their ids, which the later pieces of a call may leave out.
 */
export class OpenCalls<Made> {
  readonly #byIndex = new Map<unknown, OpenCall<Made>>()
  readonly #byId = new Map<string, OpenCall<Made>>()
  #last: OpenCall<Made> | null = null

  /**
   * The call that a piece belongs to.
   *
   * @param make begins a new one.
   */
  take(piece: Readonly<Record<string, unknown>>, make: () => Made): Made {
    const index = piece['index'] ?? null
    const id = typeof piece['id'] === 'string' && piece['id'] !== '' ? piece['id'] : null
    const call = this.#find(index, id) ?? { made: make(), id }
    call.id ??= id
    if (index !== null) this.#byIndex.set(index, call)
    if (id !== null) this.#byId.set(id, call)
    this.#last = call
    return call.made
  }

  #find(index: unknown, id: string | null): OpenCall<Made> | null {
    if (index === null) return id === null ? this.#last : (this.#byId.get(id) ?? null)
    const found = this.#byIndex.get(index) ?? null
    const isAnother = id !== null && found !== null && found.id !== null && found.id !== id
    return isAnother ? (this.#byId.get(id) ?? null) : found
  }
}

/** Numbers the calls of one streamed choice that have no number: clients put the pieces of a call together by it. */
export class CallNumbers {
  readonly #calls = new OpenCalls<number>()
  #next = 0

  /** The same pieces; one whose number is missing gets that of its call. */
  number(pieces: readonly Readonly<Record<string, unknown>>[]): readonly Readonly<Record<string, unknown>>[] {
    return pieces.map((piece) => {
      const index = typeof piece['index'] === 'number' ? piece['index'] : null
      const number = this.#calls.take(piece, () => index ?? this.#next)
      this.#next = Math.max(this.#next, (index ?? number) + 1)
      return index === null ? { ...piece, index: number } : piece
    })
  }
}
