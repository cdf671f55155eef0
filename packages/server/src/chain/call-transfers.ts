import type { ChainTransfer } from './chain-facts.ts'
import { callFrameForm } from './rpc-forms.ts'

/** Calls that move their value. The others show a value that they merely inherit. Source: the EVM's call kinds. */
const MOVES_VALUE = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** A transfer is named by its place among the calls, as long as a name of the ledger's may be. Source: decision 0068. */
const PLACE_LENGTH_MAX = 200 - 'trace:'.length

/** Frames that are looked at; a transaction's gas does not pay for more that move anything. */
const FRAMES_MAX = 50_000

/**
 * Reads the ETH that inner calls of a transaction moved. A call that failed, or that is inside one that failed, moved
 * nothing. The transaction's own value is not among them, nor is what a hundred calls within each other have moved: that
 * is found by the balance of its address.
 *
 * @param root the frame of the transaction itself, as a provider reported it.
 * @returns null when a frame is malformed.
 */
export function readCallTransfers(root: unknown): readonly ChainTransfer[] | null {
  const found: ChainTransfer[] = []
  const waiting: { readonly frame: unknown; readonly path: string | null }[] = [{ frame: root, path: '' }]
  for (let seen = 0; seen < FRAMES_MAX; seen++) {
    const next = waiting.pop()
    if (next === undefined) break
    const { path } = next
    const { success, data: frame } = callFrameForm.safeParse(next.frame)
    if (!success) return null
    if (frame.error !== undefined) continue
    const { to, from, value } = frame
    const isNamed = path !== null && path !== ''
    if (isNamed && MOVES_VALUE.has(frame.type) && to != null && value != null && value > 0n && from !== to) {
      found.push({ asset: 'ETH', ordinal: `trace:${path}`, from, to, amount: value })
    }
    for (const [at, call] of (frame.calls ?? []).entries()) {
      const place = isNamed ? `${path}.${at}` : `${at}`
      waiting.push({ frame: call, path: path === null || place.length > PLACE_LENGTH_MAX ? null : place })
    }
  }
  return found
}
