/** The receipt of everything that an account can have, checked by the terminal client, and by hand where it was changed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseReceipt, type Receipt } from '@svc/contract/log/receipt'
import { parseVerifierKey } from '@svc/contract/log/signed-note'
import { checkLine, verifyReceipt } from '@svc/contract/log/verify-receipt'
import { LINES, useReceiptScene } from './receipt-scene.ts'
import { createSvc, type Svc } from './run-svc.ts'

const scene = useReceiptScene()
let svc: Svc
beforeAll(() => {
  svc = createSvc({ SVC_API_KEY: '' })
})
afterAll(() => svc?.remove())

function receiptOf(name: string): Receipt {
  const parsed = parseReceipt(scene.receipts.get(name) ?? '')
  if ('problem' in parsed) throw new Error(`${name}: ${parsed.problem.field} ${parsed.problem.message}`)
  return parsed.receipt
}

function fileOf(name: string, text: string): string {
  const path = join(svc.folder, `${name.replaceAll(' ', '-')}.json`)
  writeFileSync(path, text)
  return path
}

test.each(LINES)('the receipt of %s holds, and not when a nanocredit differs', async (name, kind) => {
  const receipt = receiptOf(name)
  expect(receipt.entry).toMatchObject({ kind, account_id: scene.gateway.accountId })
  const isRequest = kind === 'charge' || kind === 'free'
  expect(receipt.record === null).toBe(!isRequest)
  const file = fileOf(name, scene.receipts.get(name) ?? '')
  expect(await svc(['receipt', 'verify', file, '--key', scene.key])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^(?:holds {2}.*\n){4}$/),
  })
  const balance = String(BigInt(receipt.entry.balance) + 1n)
  const changed = fileOf(name, JSON.stringify({ ...receipt, entry: { ...receipt.entry, balance } }))
  expect(await svc(['receipt', 'verify', changed, '--key', scene.key])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/FALSE.*inclusion/),
  })
})

test('what is special about a line is in its receipt', () => {
  expect(receiptOf('a cancelled stream').record).toMatchObject({ status: 'cancelled', stream: true })
  expect(receiptOf('a free failure')).toMatchObject({
    entry: { amount: '0' },
    record: { status: 'error', charge: '0' },
  })
  expect(receiptOf('videos').record).toMatchObject({ type: 'video', status: 'ok' })
  expect(receiptOf('an adjustment').entry).toMatchObject({ amount: '-5', reason: 'Rounding <é>' })
  expect(receiptOf('a refund').entry.amount).toBe(receiptOf('a chat').record?.charge)
})

test('all receipts of the account are one line without a gap', async () => {
  const { read } = scene.gateway.gateway.database
  const [requests, transfers] = await Promise.all([
    read.selectFrom('usage_record').select('usage_id as id').execute(),
    read.selectFrom('transfer').select('transfer_id as id').where('hold_id', 'is', null).execute(),
  ])
  const texts = await Promise.all([...requests, ...transfers].map(({ id }) => scene.get(id)))
  const receipts = texts.map((text) => {
    const parsed = parseReceipt(text)
    if ('problem' in parsed) throw new Error(parsed.problem.field)
    return parsed.receipt
  })
  const key = parseVerifierKey(nodeCrypto.sha256, scene.key)!
  const failing = receipts.flatMap((receipt) => verifyReceipt(nodeCrypto, receipt, [key]).filter(({ holds }) => !holds))
  expect(failing).toEqual([])
  expect(receipts.map(({ entry }) => entry.number).toSorted((left, right) => left - right)).toEqual(
    receipts.map((_receipt, at) => at + 1),
  )
  const compared = checkLine(receipts)
  expect(compared.filter(({ holds }) => !holds)).toEqual([])
  expect(compared.at(-1)?.finding).toContain('no line was added or left out between them')
})
