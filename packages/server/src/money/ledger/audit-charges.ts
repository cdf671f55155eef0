/** The invariants of charges: each is what its request costs, booked once. Source: decisions 0003 and 0004. */
import { sql } from 'kysely'
import { MARGIN_BPS, MARGIN_TEXT } from '@svc/contract'
import { isOtherMargin, recomputeCharge } from '@svc/contract/recompute-charge'
import { ARCHIVED_UNTIL } from './audit-archive.ts'
import { count, list, total, BREACHES_MAX, type AuditContext, type Finding, type Invariant } from './audit-query.ts'
import { COST_MAX, OPERATION_AMOUNT_MAX } from './check-operation.ts'

/** Promises about charges. */
export const chargeInvariants: readonly Invariant[] = [
  {
    name: 'charged as recorded',
    promise:
      'each usage record with a charge or a loss has one transfer of the same amounts, and each such transfer a record',
    check: checkChargedAsRecorded,
  },
  {
    name: 'charged as priced',
    promise: 'what each request was charged, cost and written off is what the prices in its record give',
    check: checkChargedAsPriced,
  },
  {
    name: 'margin',
    promise: `each charge covers the cost of what it is for and ${MARGIN_TEXT} on it`,
    check: checkMargin,
  },
  { name: 'failed is free', promise: 'a request that failed is not charged', check: checkFailedIsFree },
]

async function checkChargedAsRecorded(context: AuditContext): Promise<Finding> {
  const records = await list(
    context,
    sql`select 'usage record ' || u.usage_id || ' differs from its transfer' as breach
          from usage_record u left join transfer t on t.hold_id = u.usage_id
         where (t.transfer_id is null and (u.charge <> 0 or u.write_off <> 0 or u.cost <> 0))
            or t.charge <> u.charge or t.write_off <> u.write_off or t.cost <> u.cost or t.account_id <> u.account_id`,
  )
  const transfers = await list(
    context,
    sql`select 'transfer ' || t.transfer_id || ' has no usage record' as breach
          from transfer t left join usage_record u on u.usage_id = t.hold_id
         where t.hold_id is not null and u.usage_id is null and t.hold_id > ${ARCHIVED_UNTIL}`,
  )
  const figures = {
    charged: await total(context, 'charge', 'usage_record'),
    'written off': await total(context, 'write_off', 'transfer'),
    cost: await total(context, 'cost', 'transfer'),
  }
  return { figures, breaches: [...records, ...transfers, ...(await findMisshapen(context))] }
}

/**
 * The database refuses such rows, unless its checks are switched off: a settlement has the id of its hold, which makes
 * it one of a kind, and no credit has a side of a settlement.
 */
async function findMisshapen(context: AuditContext): Promise<readonly string[]> {
  const shapes = await list(
    context,
    sql`select 'transfer ' || transfer_id || ' is no ' || kind || ' of one hold' as breach
          from transfer
         where case when kind in ('capture', 'write_off')
                    then hold_id is null or hold_id <> transfer_id or funding <> 0 or charge < 0 or write_off < 0
                      or cost < 0 or margin < 0 or charge + write_off <= 0 or (kind = 'capture') <> (charge > 0)
                    else kind not in ('grant', 'adjustment', 'deposit') or hold_id is not null
                      or charge <> 0 or write_off <> 0 or cost <> 0 or margin <> 0
               end`,
  )
  const doubles = await list(
    context,
    sql`select 'hold ' || hold_id || ' was settled ' || count(*) || ' times' as breach
          from transfer where hold_id is not null group by hold_id having count(*) > 1`,
  )
  return [...shapes, ...doubles]
}

/** Records that are read at once. */
const PAGE = 10_000

/**
 * Recomputes each charge. `charge + write_off = due + cost - delivered`, since what was billed beside the delivered
 * answer is written off. Rows cannot tell what an account had at a moment, but a hold is always honoured: a charge is
 * less than what is due only where it is as much as was held.
 */
async function checkChargedAsPriced(context: AuditContext): Promise<Finding> {
  const breaches: string[] = []
  let [records, after] = [0, '']
  for (;;) {
    const rows = await readPage(context, after)
    for (const row of rows) {
      const problem = breaches.length < BREACHES_MAX ? problemOf(row) : null
      if (problem !== null) breaches.push(`usage record ${row.usage_id} ${problem}`)
    }
    records += rows.length
    after = rows.at(-1)?.usage_id ?? after
    if (rows.length < PAGE) return { figures: { records }, breaches }
  }
}

function readPage({ db }: AuditContext, after: string) {
  return db
    .selectFrom('usage_record as u')
    .leftJoin('hold as h', 'h.hold_id', 'u.usage_id')
    .select(['u.usage_id', 'u.charge', 'u.write_off', 'u.cost', 'u.basis', 'u.pricing', 'u.prompt_tokens'])
    .select(['u.estimated', 'u.completion_tokens', 'u.cached_tokens', 'u.created_at', 'h.amount', 'h.ended_at'])
    .where('u.usage_id', '>', after)
    .orderBy('u.usage_id')
    .limit(PAGE)
    .execute()
}

/** What is read of a record and its hold. */
export type PricedRow = Awaited<ReturnType<typeof readPage>>[number]

/** How a record contradicts its own prices, in words; null where it does not. */
export function problemOf(row: PricedRow): string | null {
  const { charge, write_off: writeOff, cost } = row
  if (row.pricing === null) {
    if (charge !== 0n) return 'was charged, and does not say by which prices'
    return writeOff === cost ? null : 'wrote off another amount than it cost'
  }
  const priced = recomputeCharge(row.pricing)
  if (priced === null) return 'has prices that contradict each other'
  if (isOtherMargin(priced)) return `was priced with a margin of ${priced.marginBps} basis points, not ${MARGIN_BPS}`
  const basis = priced.isEstimated && priced.basis !== 'cost' ? 'estimate' : priced.basis
  // What a process that died had noted by then is an estimate, whatever its prices are.
  if (row.basis !== basis && !(row.estimated && row.basis === 'estimate')) {
    return 'was charged on another basis than its prices say'
  }
  if (
    differs(row.prompt_tokens, priced.promptTokens) ||
    differs(row.completion_tokens, priced.completionTokens) ||
    differs(leastOf(row.cached_tokens, row.prompt_tokens), priced.cachedTokens)
  ) {
    return 'counts other tokens than it was priced for'
  }
  const due = least(priced.charge, OPERATION_AMOUNT_MAX)
  const delivered = least(priced.cost, COST_MAX)
  if (cost < delivered) return `cost ${cost}, and its prices say ${delivered}`
  const owed = (due > delivered ? due : delivered) + cost - delivered
  if (charge > due || charge + writeOff !== owed) return `was charged ${charge}, and its prices say ${due}`
  // A hold that had expired was free when it was charged after all: its record is older than its end.
  const isLate = row.created_at !== row.ended_at
  const honoured = isLate ? 0n : least(due, row.amount ?? 0n)
  return charge < honoured ? `was charged ${charge}, although ${honoured} were held for it` : null
}

/** Null and absent say nothing. */
function differs(recorded: number | null, priced: number | undefined): boolean {
  return recorded !== null && priced !== undefined && recorded !== priced
}

function leastOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null ? null : Math.min(part, whole)
}

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}

/**
 * The books round a cost up to a nanocredit, the charge was made from the cost before that: x with cost - 1 < x <=
 * cost. So 5 × charge >= 6 × x > 6 × (cost - 1), which is 5 × margin > cost - 6. What was billed beside the delivered
 * answer is written off, so that no more than the write-off of the cost has no margin.
 */
async function checkMargin(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'transfer ' || transfer_id || ' was charged below its cost and margin' as breach
          from transfer where kind = 'capture' and margin * 5 <= cost - write_off - 6`,
  )
  return { figures: { margin: await total(context, 'margin', 'transfer') }, breaches }
}

async function checkFailedIsFree(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'usage record ' || usage_id || ' failed and was charged' as breach
          from usage_record where status = 'error' and charge > 0`,
  )
  return { figures: { failed: await count(context, `usage_record where status = 'error'`) }, breaches }
}
