/** The invariant of credits that operators gave: the journal says which. Source: decision 0046 (operators). */
import { formatCredits } from '@svc/contract'
import { sql } from 'kysely'
import { z } from 'zod'
import { list, BREACHES_MAX, type AuditContext, type Finding, type Invariant } from './audit-query.ts'

/** Promises about what operators gave and took. */
export const operatorInvariants: readonly Invariant[] = [
  {
    name: 'given credits',
    promise: 'each credit that the journal says an operator gave or took is in the books, once',
    check: checkGiven,
  },
]

/** What each action books. */
const KINDS: Readonly<Record<string, string>> = { 'credits.grant': 'grant', 'credits.adjust': 'adjustment' }
const ACTIONS = sql.join(Object.keys(KINDS).map((action) => sql.lit(action)))

/** Entries that are read at once. */
const PAGE = 10_000

async function checkGiven(context: AuditContext): Promise<Finding> {
  const breaches: string[] = []
  let [credits, after] = [0, '']
  for (;;) {
    const rows = await readPage(context, after)
    for (const row of rows) if (!isBooked(row)) breaches.push(`credit ${row.subject} is not booked as it was given`)
    credits += rows.length
    after = rows.at(-1)?.action_id ?? after
    if (rows.length < PAGE) break
  }
  const doubles = await findDoubles(context)
  return { figures: { credits }, breaches: [...breaches, ...doubles].slice(0, BREACHES_MAX) }
}

interface GivenRow {
  readonly action_id: string
  readonly action: string
  readonly account_id: string | null
  readonly subject: string
  /** JSON text. */
  readonly details: string
  readonly kind: string | null
  readonly paid_to: string | null
  readonly funding: bigint | null
}

async function readPage({ db }: AuditContext, after: string): Promise<readonly GivenRow[]> {
  const { rows } = await sql<GivenRow>`
    select a.action_id, a.action, a.account_id, a.subject, a.details, t.kind, t.account_id as paid_to, t.funding
      from operator_action a left join transfer t on t.transfer_id = a.subject
     where a.action in (${ACTIONS}) and a.outcome = 'done' and a.action_id > ${after}
     order by a.action_id limit ${sql.lit(PAGE)}`.execute(db)
  return rows
}

const given = z.object({ credits: z.string() })

function isBooked({ action, account_id: accountId, details, kind, paid_to: paidTo, funding }: GivenRow): boolean {
  if (funding === null || kind !== KINDS[action] || paidTo !== accountId) return false
  return given.safeParse(JSON.parse(details)).data?.credits === formatCredits(funding)
}

/** An operator who gives the same twice has two entries. */
function findDoubles(context: AuditContext): Promise<readonly string[]> {
  return list(
    context,
    sql`select distinct 'transfer ' || d.transfer_id || ' is the credit ' || t.transfer_id || ' once more' as breach
          from operator_action a
          join transfer t on t.transfer_id = a.subject
          join transfer d on d.account_id = t.account_id and d.hold_id is null and d.kind = t.kind
                         and d.funding = t.funding and d.reason = t.reason and d.transfer_id <> t.transfer_id
          left join operator_action o on o.subject = d.transfer_id and o.action = a.action
         where a.action in (${ACTIONS}) and a.outcome = 'done' and o.action_id is null`,
  )
}
