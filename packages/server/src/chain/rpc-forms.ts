/** The forms of a provider's answers. What has another form is not believed. */
import { z } from 'zod'
import type { Hex } from './assets.ts'
import { ChainUnavailableError } from './chain-unavailable.ts'

const hex = z.string().regex(/^0x[0-9a-fA-F]*$/)
const lower = hex.transform((text) => text.toLowerCase() as Hex)
const hash = lower.refine((text) => text.length === 66)
const address = lower.refine((text) => text.length === 42)
const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt)
const whole = quantity.refine((value) => value <= BigInt(Number.MAX_SAFE_INTEGER)).transform(Number)

/** Seconds since the epoch; what comes after the year 9999 cannot be written as a date. */
const seconds = whole.refine((value) => value <= 253_402_300_799)

export const quantityForm = quantity
/** No address holds a thousand millions of ETH or more; the audit could not sum it up. Source: decision 0068. */
export const balanceForm = quantity.refine((value) => value < 10n ** 27n)
export const bytesForm = lower

/** A block with the hashes of its transactions. */
export const blockForm = z
  .object({ number: whole, hash, parentHash: hash, timestamp: seconds, transactions: z.array(hash) })
  .nullable()

/** A block with its transactions. */
export const fullBlockForm = z
  .object({
    number: whole,
    hash,
    transactions: z.array(z.object({ hash, to: address.nullable(), value: quantity })),
  })
  .nullable()

export const transactionForm = z
  .object({
    hash,
    blockHash: hash.nullish(),
    blockNumber: whole.nullish(),
    from: address,
    to: address.nullish(),
    value: quantity,
    type: whole.optional(),
  })
  .nullable()

const logForm = z.object({
  address,
  topics: z.array(hash).max(4),
  data: lower,
  logIndex: whole,
  transactionHash: hash,
  blockHash: hash,
  removed: z.boolean().optional(),
})
export type RpcLog = z.output<typeof logForm>

export const logsForm = z.array(logForm.extend({ blockNumber: whole }))

export const receiptForm = z
  .object({
    transactionHash: hash,
    blockHash: hash,
    blockNumber: whole,
    status: whole,
    logs: z.array(logForm),
  })
  .nullable()

/**
 * One call of a transaction as `callTracer` reports it. The calls within it are left unread: their payer chooses how
 * deep they nest, and a recursive schema does not bear any depth.
 */
export const callFrameForm = z.object({
  type: z.string(),
  from: address,
  to: address.nullish(),
  value: quantity.nullish(),
  error: z.string().optional(),
  calls: z.array(z.unknown()).optional(),
})

/**
 * Reads an answer.
 *
 * @throws {ChainUnavailableError} when it has not that form.
 */
export function parseAnswer<T>(form: z.ZodType<T>, answer: unknown, what: string): T {
  const parsed = form.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new ChainUnavailableError(`a provider told a ${what} in a form that none has`)
}
