/** Checks receipts here, with nothing but the keys that are given: nothing is sent anywhere. */
import { parseReceipt, type Receipt } from '@svc/contract/log/receipt'
import { parseVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { checkLine, type LineCheck, type ReceiptCheck, verifyReceipt } from '@svc/contract/log/verify-receipt'
import { withBrowserCrypto } from './browser-crypto.ts'

/** A file, and what came of it. */
export interface CheckedFile {
  readonly name: string
  /** Why it is no receipt; null where it is one. */
  readonly problem: string | null
  /** What it says, which holds only as far as the checks do; null for what is no receipt. */
  readonly receipt: Receipt | null
  readonly checks: readonly ReceiptCheck[]
}

export interface CheckedReceipts {
  readonly files: readonly CheckedFile[]
  /** What several of one account say about each other. */
  readonly line: readonly LineCheck[]
}

/** Lines that are no key of a ledger log. */
export class WrongKeyError extends Error {
  constructor(line: string) {
    super(`This is no key of a ledger log: ${line.slice(0, 60)}`)
    this.name = 'WrongKeyError'
  }
}

/** @throws {WrongKeyError} for a line that is none. @throws {NoEd25519Error} in a browser that cannot check signatures. */
export async function checkReceipts(files: readonly File[], keyTexts: string): Promise<CheckedReceipts> {
  const keys = await parseKeys(keyTexts)
  const checked = await Promise.all(files.map((file) => checkFile(file, keys)))
  const receipts = checked.flatMap(({ receipt }) => receipt ?? [])
  return { files: checked, line: checkLine(receipts) }
}

function parseKeys(texts: string): Promise<readonly VerifierKey[]> {
  const lines = texts.split('\n').filter((line) => line.trim() !== '')
  return withBrowserCrypto(({ sha256 }) =>
    lines.map((line) => {
      const key = parseVerifierKey(sha256, line)
      if (key === null) throw new WrongKeyError(line)
      return key
    }),
  )
}

async function checkFile(file: File, keys: readonly VerifierKey[]): Promise<CheckedFile> {
  const parsed = parseReceipt(await file.text())
  if ('problem' in parsed) {
    const { message } = parsed.problem
    const problem = `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}`
    return { name: file.name, problem, receipt: null, checks: [] }
  }
  const { receipt } = parsed
  const checks = await withBrowserCrypto((crypto) => verifyReceipt(crypto, receipt, keys))
  return { name: file.name, problem: null, receipt, checks }
}
