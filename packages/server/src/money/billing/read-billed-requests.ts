/** What the books say that requests cost at one upstream, under the upstream's own ids. */
import type { Database } from '../../platform/db/database.ts'
import type { UsageRecordTable } from '../../platform/db/schema.ts'
import { jobAtKey } from '../../upstreams/key-of-job.ts'
import { type IdSpan, idsOf, recordSteps } from './usage-steps.ts'

/** A request, or the part of it that one upstream has served. */
export interface BilledRequest {
  readonly requestId: string
  readonly startedAt: number
  /** When it was settled. */
  readonly endedAt: number
  /** As the upstream calls it. */
  readonly model: string | null
  /** Nanocredits at par, of all its generations together. */
  readonly cost: bigint
  /** Parts of the cost that were rounded up by themselves, beside the first. */
  readonly roundings: number
  /** Each generation once; empty where the upstream gave no id. */
  readonly generationIds: readonly string[]
}

/** Rows of an index that are looked at in one step: embedded storage is read in the thread that serves requests. */
const STEP_ROWS = 2_000

/**
 * Reads those that began in a span of time, in steps, the newest first.
 *
 * @param span milliseconds since the epoch: `from` is in, `to` is out.
 */
export async function* readBilledRequests(
  { read }: Pick<Database, 'read'>,
  upstream: string,
  span: { readonly from: number; readonly to: number },
): AsyncGenerator<readonly BilledRequest[], void, undefined> {
  const steps = recordSteps(
    { read },
    { scope: { everyAccount: true } },
    { ids: idsOf(span, null), rows: STEP_ROWS, most: STEP_ROWS },
  )
  for await (const { from, below } of steps) {
    const records = await read
      .selectFrom('usage_record')
      .select(RECORD_COLUMNS)
      .where('usage_id', '>=', from)
      .where('usage_id', '<', below)
      .where('started_at', '>=', span.from)
      .where('started_at', '<', span.to)
      .where((where) =>
        where.or([
          where('upstream', '=', upstream),
          where.exists(
            where
              .selectFrom('request_attempt as a')
              .select('a.number')
              .whereRef('a.request_id', '=', 'usage_record.usage_id')
              .where('a.upstream', '=', upstream)
              .where('a.generation_id', 'is not', null),
          ),
        ]),
      )
      .execute()
    const attempts = await attemptsIn(read, { from, below })
    yield records.map((record) => billedRequest(record, attempts.get(record.usage_id) ?? [], upstream))
  }
}

/**
 * The same of records that are at hand, in the order of their ids: those of other upstreams are left out. Their attempts
 * are in the database.
 */
export async function toBilledRequests(
  { read }: Pick<Database, 'read'>,
  upstream: string,
  records: readonly RecordRow[],
): Promise<readonly BilledRequest[]> {
  const [first, last] = [records[0]?.usage_id, records.at(-1)?.usage_id]
  if (first === undefined || last === undefined) return []
  const attempts = await attemptsIn(read, { from: first, below: `${last}0` })
  return records.flatMap((record) => {
    const own = attempts.get(record.usage_id) ?? []
    const isBilled = record.upstream === upstream || own.some((attempt) => attempt.upstream === upstream)
    return isBilled ? [billedRequest(record, own, upstream)] : []
  })
}

/** Attempts that have an id of the upstream, by their request. */
async function attemptsIn(
  read: Database['read'],
  { from, below }: IdSpan,
): Promise<ReadonlyMap<string, readonly AttemptRow[]>> {
  const attempts = await read
    .selectFrom('request_attempt')
    .select(['request_id', 'upstream', 'upstream_model', 'generation_id', 'cost'])
    .where('request_id', '>=', from)
    .where('request_id', '<', below)
    .where('generation_id', 'is not', null)
    .execute()
  return Map.groupBy(attempts, ({ request_id }) => request_id)
}

const RECORD_COLUMNS = [
  'usage_id',
  'started_at',
  'created_at',
  'upstream',
  'upstream_model',
  'cost',
  'generation_id',
  'write_off',
] as const

type RecordRow = Pick<UsageRecordTable, (typeof RECORD_COLUMNS)[number]>

interface AttemptRow {
  readonly upstream: string
  readonly upstream_model: string
  readonly generation_id: string | null
  readonly cost: bigint | null
}

/** The cost of a record is that of all attempts; a part that another upstream has billed is not this one's. */
function billedRequest(record: RecordRow, attempts: readonly AttemptRow[], upstream: string): BilledRequest {
  const own = attempts.filter((attempt) => attempt.upstream === upstream)
  const others = attempts.filter((attempt) => attempt.upstream !== upstream)
  const sum = (rows: readonly AttemptRow[]): bigint => rows.reduce((total, { cost }) => total + (cost ?? 0n), 0n)
  const isServer = record.upstream === upstream
  const kept = [...(isServer ? [record.generation_id] : []), ...own.map(({ generation_id }) => generation_id)]
  // A video is known by its job, whichever key has asked for it.
  const ids = new Set(kept.flatMap((id) => (id === null ? [] : [jobAtKey(id).job])))
  const rest = record.cost - sum(others)
  return {
    requestId: record.usage_id,
    startedAt: record.started_at,
    endedAt: record.created_at,
    model: isServer ? record.upstream_model : (own[0]?.upstream_model ?? null),
    cost: isServer ? (rest > 0n ? rest : 0n) : sum(own),
    roundings: Math.max(0, ids.size - 1) + (record.write_off > 0n ? 1 : 0),
    generationIds: [...ids],
  }
}
