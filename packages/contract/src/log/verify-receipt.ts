/** Checks receipts offline: the charge from its prices, the leaf from the record, the root from the proof, the signature. */
import { MARGIN_BPS } from '../credits.ts'
import { isOtherMargin, recomputeCharge } from '../recompute-charge.ts'
import { parseBase64, sameBytes } from './bytes.ts'
import type { LedgerRecord } from './ledger-entry.ts'
import { leafData, recordDigest } from './ledger-leaf.ts'
import type { LogCrypto } from './log-crypto.ts'
import { rootByInclusion } from './merkle-proof.ts'
import { hashLeaf } from './merkle-tree.ts'
import { openProof } from './open-proof.ts'
import type { Receipt } from './receipt.ts'
import { formatVerifierKey, signersOf, type VerifierKey } from './signed-note.ts'

/** What is checked, in this order. */
export const receiptChecks = ['charge', 'record', 'inclusion', 'signature'] as const

/** One check, and what came of it. */
export interface ReceiptCheck {
  readonly name: (typeof receiptChecks)[number]
  readonly holds: boolean
  /** A sentence without a full stop. */
  readonly finding: string
}

/**
 * Checks one receipt. Every check is made, also after one that fails.
 *
 * @param keys whom to believe; the checkpoint must be signed by one of them, in its own name.
 */
export function verifyReceipt(
  crypto: LogCrypto,
  receipt: Receipt,
  keys: readonly VerifierKey[],
): readonly ReceiptCheck[] {
  return [
    checkCharge(receipt),
    checkRecord(crypto, receipt),
    checkInclusion(crypto, receipt),
    checkSignature(crypto, receipt, keys),
  ]
}

const holds = (name: ReceiptCheck['name'], finding: string): ReceiptCheck => ({ name, holds: true, finding })
const fails = (name: ReceiptCheck['name'], finding: string): ReceiptCheck => ({ name, holds: false, finding })

function checkCharge({ entry, record }: Receipt): ReceiptCheck {
  const amount = BigInt(entry.amount)
  if (record === null) {
    if (entry.kind === 'charge' || entry.kind === 'free') return fails('charge', 'a request without its record')
    const isSigned = entry.kind === 'adjustment' || amount > 0n
    return isSigned
      ? holds('charge', 'no request, nothing to recompute')
      : fails('charge', `a ${entry.kind} of ${amount}`)
  }
  const charge = BigInt(record.charge)
  if (amount !== -charge)
    return fails('charge', `the entry moves ${amount} nanocredits, the record was charged ${charge}`)
  if ((entry.kind === 'charge') !== charge > 0n || (charge === 0n && entry.kind !== 'free')) {
    return fails('charge', `an entry of kind ${entry.kind} for a charge of ${charge}`)
  }
  return checkPrices(record, charge)
}

function checkPrices(record: LedgerRecord, charge: bigint): ReceiptCheck {
  if (record.pricing === null) {
    return charge === 0n ? holds('charge', 'free') : fails('charge', `${charge} nanocredits without a price`)
  }
  const priced = recomputeCharge(record.pricing)
  if (priced === null) return fails('charge', 'prices and quantities contradict each other')
  if (isOtherMargin(priced)) {
    return fails('charge', `the margin is ${priced.marginBps} basis points, and ${MARGIN_BPS} on every request`)
  }
  if (
    differs(record.prompt_tokens, priced.promptTokens) ||
    differs(record.completion_tokens, priced.completionTokens)
  ) {
    return fails('charge', 'the prices are for other quantities than the record counts')
  }
  const due = priced.charge
  if (charge > due) return fails('charge', `charged ${charge} nanocredits, the prices make ${due}`)
  if (charge === due) return holds('charge', `${charge} nanocredits, as the prices make`)
  return holds('charge', `${charge} nanocredits, less than the ${due} that the prices make`)
}

/** Null and absent say nothing. */
function differs(recorded: number | null, priced: number | undefined): boolean {
  return recorded !== null && priced !== undefined && recorded !== priced
}

function checkRecord({ sha256 }: LogCrypto, { entry, record }: Receipt): ReceiptCheck {
  if (record === null) {
    return entry.record_digest === null ? holds('record', 'none') : fails('record', 'the record is missing')
  }
  if (record.request_id !== entry.id) return fails('record', 'the record is of another request than the entry')
  return recordDigest(sha256, record) === entry.record_digest
    ? holds('record', 'the one that the entry names')
    : fails('record', 'not the one that the entry names')
}

function checkInclusion({ sha256 }: LogCrypto, { entry, salt, proof: text }: Receipt): ReceiptCheck {
  const proof = openProof(text)
  const bytes = parseBase64(salt)
  if (proof === null || bytes === null) return fails('inclusion', 'no proof')
  const { index, hashes, head } = proof
  const root = rootByInclusion(sha256, hashLeaf(sha256, leafData(bytes, entry)), { index, size: head.size, hashes })
  return root !== null && sameBytes(root, head.root)
    ? holds('inclusion', `leaf ${index} of ${head.size}`)
    : fails('inclusion', `the entry is not leaf ${index} of the log of ${head.size}`)
}

function checkSignature(crypto: LogCrypto, { proof: text }: Receipt, keys: readonly VerifierKey[]): ReceiptCheck {
  const proof = openProof(text)
  if (proof === null) return fails('signature', 'no checkpoint')
  const own = keys.filter(({ name }) => name === proof.head.origin)
  const [signer] = signersOf(crypto, proof.note, own)
  if (signer !== undefined) return holds('signature', `by ${formatVerifierKey(signer)}`)
  return own.length === 0
    ? fails('signature', `the checkpoint is of ${proof.head.origin}, which no key given here is for`)
    : fails('signature', `no valid signature of ${proof.head.origin}`)
}

/** What several receipts of one account say about each other. */
export interface LineCheck {
  readonly holds: boolean
  /** A sentence without a full stop. */
  readonly finding: string
}

interface Placed extends Pick<Receipt, 'entry'> {
  /** Of its leaf in the log. */
  readonly index: number
}

/**
 * Puts receipts of one account in a line by their running numbers and compares each with the next. Two that follow each
 * other must fit: the balance after the second is the balance after the first and its own amount, and it comes later in
 * the log. Says of every pair what was compared, and at the end what follows for the account.
 *
 * @returns empty for fewer than two receipts: there is nothing to compare.
 */
export function checkLine(receipts: readonly Receipt[]): readonly LineCheck[] {
  if (receipts.length < 2) return []
  const line = receipts
    .map(({ entry, proof }): Placed => ({ entry, index: openProof(proof)?.index ?? -1 }))
    .toSorted((left, right) => left.entry.number - right.entry.number)
  const [first] = line as [Placed, ...Placed[]]
  const stranger = line.find(({ entry }) => entry.account_id !== first.entry.account_id)
  if (stranger !== undefined) {
    return [{ holds: false, finding: 'the receipts are of different accounts, and cannot be compared with each other' }]
  }
  const pairs = line.slice(1).map((second, at) => checkPair(line[at] as Placed, second))
  return pairs.every(({ holds: fits }) => fits) ? [...pairs, conclude(line)] : pairs
}

function checkPair(first: Placed, second: Placed): LineCheck {
  const [from, to] = [first.entry, second.entry]
  if (from.number === to.number) {
    return first.index === second.index
      ? { holds: true, finding: `number ${from.number} is given twice, and is the same line` }
      : { holds: false, finding: `two entries of the account have the number ${from.number}` }
  }
  if (first.index >= second.index) {
    return { holds: false, finding: `number ${to.number} comes before number ${from.number} in the log` }
  }
  const missing = to.number - from.number - 1
  const between = BigInt(to.balance) - BigInt(to.amount) - BigInt(from.balance)
  if (missing > 0) {
    const lines = missing === 1 ? '1 line is' : `${missing} lines are`
    return {
      holds: true,
      finding:
        `between number ${from.number} and number ${to.number} ${lines} not among these receipts: by the balances they ` +
        `moved ${between} nanocredits in all`,
    }
  }
  return between === 0n
    ? {
        holds: true,
        finding: `number ${to.number} follows number ${from.number}: it comes later in the log, and its balance is the one before and its own amount`,
      }
    : { holds: false, finding: `the balance after number ${to.number} does not follow from number ${from.number}` }
}

/** What follows where every pair fits. */
function conclude(line: readonly Placed[]): LineCheck {
  const numbers = [...new Set(line.map(({ entry }) => entry.number))]
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)]
  const missing = to - from + 1 - numbers.length
  const others =
    missing === 1
      ? 'what the line between them says, its receipt alone tells'
      : `what the ${missing} lines between them say, their receipts alone tell`
  const follows = missing === 0 ? 'no line was added or left out between them' : `they fit; ${others}`
  const finding =
    `lines of one account were compared with each other, ${numbers.length} of numbers ${from} to ${to}: if each receipt ` +
    `holds by itself, ${follows}`
  return { holds: true, finding }
}
