/** `svc receipt`: gets receipts, and checks them with nothing but a key. */
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { openProof } from '@svc/contract/log/open-proof'
import { parseReceipt, type Receipt } from '@svc/contract/log/receipt'
import { checkLine, verifyReceipt } from '@svc/contract/log/verify-receipt'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { readLogKeys, readText, wrongFile } from '../files/log-keys.ts'

export async function getReceipt(context: Context, id: string): Promise<void> {
  const { client, endpoints } = await context.api()
  const { out, signal } = context.terminal
  const receipt = await client.call(endpoints.getReceipt, { path: { receipt_id: id } }, { signal })
  // Its amounts are texts, so that plain JSON is exact.
  await out.line(JSON.stringify(receipt, null, 2))
}

export interface VerifyOptions {
  readonly key: readonly string[]
}

/**
 * Checks receipts and says what came of each check.
 *
 * @throws {CommandError} with the code for wrong usage where a file is no receipt or a key is none; with the ordinary
 *   one where something does not hold.
 */
export async function verifyReceipts(
  context: Context,
  files: readonly string[],
  options: VerifyOptions,
): Promise<void> {
  const keys = await readLogKeys(options.key)
  const receipts = await Promise.all(files.map(readReceipt))
  const checked = receipts.map((receipt, at) => ({
    file: files[at] ?? '',
    checks: verifyReceipt(nodeCrypto, receipt, keys),
    statements: openProof(receipt.proof)?.head.extensions ?? [],
  }))
  const line = checkLine(receipts)
  const { terminal } = context
  if (context.options.json === true) await terminal.out.line(JSON.stringify({ receipts: checked, line }))
  else {
    for (const { file, checks } of checked) {
      for (const { name, holds, finding } of checks) {
        await terminal.out.line(`${holds ? 'holds' : 'FALSE'}  ${file}  ${name}: ${finding}`)
      }
    }
    const statements = new Set(checked.flatMap((each) => each.statements))
    for (const statement of statements) await terminal.out.line(`note   the log states: ${statement}`)
    for (const { holds, finding } of line) await terminal.out.line(`${holds ? 'holds' : 'FALSE'}  ${finding}`)
    if (receipts.length === 1 && context.options.quiet !== true) {
      await terminal.notes.line('One receipt was checked by itself. Give several of an account to compare them, too.')
    }
  }
  const isTrue = [...checked.flatMap(({ checks }) => checks), ...line].every(({ holds }) => holds)
  if (!isTrue) throw new CommandError('Not everything holds.')
}

async function readReceipt(file: string): Promise<Receipt> {
  const parsed = parseReceipt(await readText(file))
  if ('receipt' in parsed) return parsed.receipt
  throw wrongFile(`${file} is no receipt: ${parsed.problem.message}.`)
}
