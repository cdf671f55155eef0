import { JsonEnd } from '../../platform/json/json-end.ts'
import { isCall, newCallId, NO_ARGUMENTS, typeOf } from './tool-calls.ts'

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
  /** Null until it is named: until then its clients do not have it. */
  index: number | null
  /** What came of it before its name; null where nothing did. */
  held: Piece | null
  isFunction: boolean
  hasArguments: boolean
}

/**
 * Numbers the calls of one streamed choice in their order, and gives each what its first piece lacks: clients put the
 * pieces together by the number, and throw at a call without an id or a name. What comes before the name waits for it.
 */
export class CallNumbers {
  readonly #calls = new OpenCalls<NumberedCall>()
  readonly #begun: NumberedCall[] = []
  #droppedBytes = 0

  /** Bytes of names that came again, and were not handed on. */
  get droppedBytes(): number {
    return this.#droppedBytes
  }

  /** How many clients have by now. */
  get count(): number {
    return this.#begun.length
  }

  /** The same pieces, each with the number of its call. */
  number(pieces: readonly Piece[]): readonly Piece[] {
    return pieces.flatMap((piece) => {
      const call = this.#calls.take(piece, () => ({ index: null, held: null, isFunction: true, hasArguments: false }))
      call.hasArguments ||= textOf(namedIn(piece)['arguments']) !== null
      if (call.index !== null) return [this.#continue(piece, call, call.index)]
      const first = call.held === null ? piece : joined(call.held, piece)
      if (isCall(first)) return [this.#begin(first, call)]
      call.held = first
      return []
    })
  }

  /** Pieces that end calls which gave no arguments: clients read an empty text as JSON, and throw. */
  ending(): readonly Piece[] {
    const empty = this.#begun.filter(({ isFunction, hasArguments }) => isFunction && !hasArguments)
    for (const call of empty) call.hasArguments = true
    return empty.map(({ index }) => ({ index, function: { arguments: NO_ARGUMENTS } }))
  }

  #begin(piece: Piece, call: NumberedCall): Piece {
    const index = this.#begun.push(call) - 1
    const named = namedIn(piece)
    const { id = newCallId(), type = typeOf(piece) } = piece
    call.index = index
    call.isFunction = type === 'function'
    const isWhole = piece['id'] !== undefined && piece['type'] !== undefined && typeof named['arguments'] === 'string'
    if (isWhole && piece['index'] === index) return piece
    const called = call.isFunction ? { function: { ...named, arguments: named['arguments'] ?? '' } } : {}
    return { ...piece, index, id, type, ...called }
  }

  /** Some clients put texts together that come twice, and some throw at a piece that names nothing. */
  #continue(piece: Piece, call: NumberedCall, index: number): Piece {
    const { id, ...rest } = piece
    const { name, ...more } = namedIn(piece)
    if (name !== undefined) this.#droppedBytes += Buffer.byteLength(textOf(name) ?? '')
    const isPlain = name === undefined && id === undefined && (piece['function'] !== undefined || !call.isFunction)
    if (isPlain) return piece['index'] === index ? piece : { ...piece, index }
    return { ...rest, index, ...(call.isFunction ? { function: more } : {}) }
  }
}

/** Two pieces of one call as one. */
function joined(before: Piece, piece: Piece): Piece {
  const [first, second] = [namedIn(before), namedIn(piece)]
  const given = `${textOf(first['arguments']) ?? ''}${textOf(second['arguments']) ?? ''}`
  return { ...before, ...piece, function: { ...first, ...second, ...(given === '' ? {} : { arguments: given }) } }
}
