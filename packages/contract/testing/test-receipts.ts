/** Three entries of an account as a log has them, with all that their receipts are made of. */
import { base64Of } from '../src/log/bytes.ts'
import { type Checkpoint, formatCheckpoint } from '../src/log/checkpoint.ts'
import type { LedgerEntry, LedgerRecord, OperatorRecord } from '../src/log/ledger-entry.ts'
import { leafData, operatorDigest, recordDigest } from '../src/log/ledger-leaf.ts'
import { proveInclusion } from '../src/log/merkle-proof.ts'
import { EMPTY_EDGE, growTree, hashLeaf, rootOf } from '../src/log/merkle-tree.ts'
import { nodeCrypto } from '../src/log/node-crypto.ts'
import type { Receipt } from '../src/log/receipt.ts'
import { formatTlogProof } from '../src/log/tlog-proof.ts'
import { signTestNote, testKey } from './signed-log.ts'

const { sha256 } = nodeCrypto

export const ORIGIN = 'ai.example.com/api/log'
export const keyOf = (byte: number) => testKey(ORIGIN, byte)
export const key = keyOf(1)

export const record: LedgerRecord = {
  version: 1,
  request_id: '01990000-0000-7000-8000-000000000001',
  team_id: '01990000-0000-7000-8000-0000000000aa',
  key_id: '01990000-0000-7000-8000-0000000000bb',
  started_at: 1_793_000_000_000,
  recorded_at: 1_793_000_000_321,
  type: 'chat',
  model: 'svc-gpt "é\n',
  upstream_model: 'vendor/model',
  status: 'ok',
  error_code: null,
  stream: true,
  prompt_tokens: 1_000,
  completion_tokens: 200,
  cached_tokens: 0,
  reasoning_tokens: null,
  charge: '2250000000',
  basis: 'card',
  estimated: false,
  pricing:
    '{"basis":"card","prompt_tokens":1000,"completion_tokens":200,' +
    '"card":{"credits_per_1m_input":"1250","credits_per_1m_output":"5000"},"cost_usd":"0.0015","margin_bps":2000}',
  latency_ms: 321,
}
export const operator: OperatorRecord = {
  version: 1,
  ...{ upstream: 'default', generation_id: 'gen-1', cost: '1500000000', margin: '750000000', write_off: '0' },
}
export const operatorSalt = Uint8Array.from({ length: 16 }, (_value, at) => 16 + at)
export const salt = Uint8Array.from({ length: 16 }, (_value, at) => at)

export const grant: LedgerEntry = {
  version: 1,
  ...{ kind: 'grant', id: 'welcome', revision: 1, account_id: 'account-1', number: 1 },
  ...{ amount: '5000000000', balance: '5000000000', booked_at: 1_792_999_999_000, reason: 'Welcome' },
  ...{ record_digest: null, operator_digest: null },
}
export const charge: LedgerEntry = {
  version: 1,
  ...{ kind: 'charge', id: record.request_id, revision: 1, account_id: 'account-1', number: 2 },
  ...{ amount: '-2250000000', balance: '2750000000', booked_at: 1_793_000_000_321, reason: null },
  record_digest: recordDigest(sha256, record),
  operator_digest: operatorDigest(sha256, operatorSalt, operator),
}
const free: LedgerEntry = {
  ...{ ...charge, kind: 'free', number: 3, amount: '0', id: '01990000-0000-7000-8000-000000000002' },
  record_digest: recordDigest(sha256, { ...freeRecord() }),
}

export function freeRecord(): LedgerRecord {
  const request = '01990000-0000-7000-8000-000000000002'
  return { ...record, request_id: request, status: 'error', charge: '0', basis: null, pricing: null }
}

export const leaves = [grant, charge, free].map((entry) => hashLeaf(sha256, leafData(salt, entry)))
const root = rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves))

export function noteOf(byte = 1, head: Checkpoint = { origin: ORIGIN, size: 3, root, extensions: [] }): string {
  return signTestNote(ORIGIN, formatCheckpoint(head), [byte])
}

export async function receiptOf(index: number): Promise<Receipt> {
  const readNode = (height: number, at: number) =>
    Promise.resolve(
      rootOf(sha256, growTree(sha256, EMPTY_EDGE, leaves.slice(at * 2 ** height, (at + 1) * 2 ** height))),
    )
  const hashes = await proveInclusion({ sha256, readNode }, index, 3)
  return {
    object: 'receipt',
    version: 1,
    entry: [grant, charge, free][index]!,
    record: [null, record, freeRecord()][index]!,
    salt: base64Of(salt),
    proof: formatTlogProof({ index, hashes, checkpoint: noteOf() }),
  }
}
