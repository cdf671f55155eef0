import { JsonEnd } from '../../platform/json/json-end.ts'
import { newCallId } from './tool-calls.ts'

type Piece = Readonly<Record<string, unknown>>

interface OpenCall<Made> {
  readonly made: Made
  /** As the upstream sent it; null until it does. */
  id: string | null
  /** What is called; null until it is said. */
  name: string | null
  /** Follows the arguments to their end, of a call whose pieces have no number; null elsewhere. */
  input: JsonEnd | null
}

/** A text that is there and not empty; null for anything else. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function namedIn(piece: Piece): Piece {
  const { function: named } = piece
  return typeof named === 'object' && named !== null ? (named as Piece) : {}
}

/**
 * The calls of tools in one streamed answer, by what its pieces carry. Mostly that is a number; some servers give all
 * calls the same, or none, and tell them apart by their ids, which the later pieces of a call may leave out. Where there
 * is neither, a call follows another that is whole, or that has another name.
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
  take(piece: Piece, make: () => Made): Made {
    const index = piece['index'] ?? null
    const id = textOf(piece['id'])
    const named = namedIn(piece)
    const name = textOf(named['name'])
    const call = this.#find({ index, id, name }) ?? { made: make(), id, name, input: null }
    call.id ??= id
    call.name ??= name
    if (index === null) {
      call.input ??= new JsonEnd()
      call.input.push(textOf(named['arguments']) ?? '')
    } else this.#byIndex.set(index, call)
    if (id !== null) this.#byId.set(id, call)
    this.#last = call
    return call.made
  }

  #find({ index, id, name }: { readonly index: unknown; readonly id: string | null; readonly name: string | null }) {
    if (index !== null) {
      const found = this.#byIndex.get(index) ?? null
      const isAnother = id !== null && found !== null && found.id !== null && found.id !== id
      return isAnother ? (this.#byId.get(id) ?? null) : found
    }
    if (id !== null) return this.#byId.get(id) ?? null
    const last = this.#last
    const isAnother = name !== null && last !== null && last.name !== null && (last.name !== name || isWhole(last))
    return isAnother ? null : last
  }
}

function isWhole({ input }: OpenCall<unknown>): boolean {
  return input?.isReached === true
}

/** A call as its clients have it by now. */
interface NumberedCall {
  readonly index: number
  hasBegun: boolean
  hasName: boolean
}

/**
 * Numbers the calls of one streamed choice in their order, and gives each what its first piece lacks: clients put the
 * pieces together by the number, and throw at a call without an id.
 */
export class CallNumbers {
  readonly #calls = new OpenCalls<NumberedCall>()
  #next = 0
  #droppedBytes = 0

  /** Bytes of names that came again, and were not handed on. */
  get droppedBytes(): number {
    return this.#droppedBytes
  }

  /** How many there are by now. */
  get count(): number {
    return this.#next
  }

  /** The same pieces, each with the number of its call. */
  number(pieces: readonly Piece[]): readonly Piece[] {
    return pieces.map((piece) => {
      const call = this.#calls.take(piece, () => ({ index: this.#next++, hasBegun: false, hasName: false }))
      const numbered = piece['index'] === call.index ? piece : { ...piece, index: call.index }
      return this.#complete(numbered, call)
    })
  }

  #complete(piece: Piece, call: NumberedCall): Piece {
    const named = namedIn(piece)
    const isNamedAgain = call.hasName && named['name'] !== undefined
    if (isNamedAgain) this.#droppedBytes += Buffer.byteLength(textOf(named['name']) ?? '')
    call.hasName ||= textOf(named['name']) !== null
    if (call.hasBegun) {
      // Some clients put texts together that come twice, and some throw at a piece that names nothing.
      if (!isNamedAgain && piece['id'] === undefined && piece['function'] !== undefined) return piece
      const { id: _id, ...rest } = piece
      const { name, ...more } = named
      return { ...rest, function: isNamedAgain || name === undefined ? more : named }
    }
    call.hasBegun = true
    const isFunction = (piece['type'] ?? 'function') === 'function'
    const isNamed = !isFunction || typeof named['arguments'] === 'string'
    if (piece['id'] !== undefined && piece['type'] !== undefined && isNamed) return piece
    return {
      ...piece,
      id: piece['id'] ?? newCallId(),
      type: piece['type'] ?? 'function',
      ...(isFunction ? { function: { ...named, arguments: named['arguments'] ?? '' } } : {}),
    }
  }
}
