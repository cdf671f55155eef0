/** The invariants of jobs, which own their holds. Source: decision 0024 (video jobs). */
import { sql } from 'kysely'
import { z } from 'zod'
import { count, list, total, type AuditContext, type Finding } from './audit-query.ts'
import { JOBS_OWNER } from './hold-owner.ts'

/** A job whose hold has ended may go so long without noticing: any look at it would. */
const UNNOTICED_MAX_MS = 7_200_000

/** Each hold of jobs is one job's, and each job's hold is open until it is settled. */
export async function checkJobHolds(context: AuditContext): Promise<Finding> {
  const before = context.now - UNNOTICED_MAX_MS
  const homeless = await list(
    context,
    sql`select 'hold ' || h.hold_id || ' belongs to a job that there is not' as breach
          from hold h left join video_job j on j.hold_id = h.hold_id
         where h.process_id = ${sql.lit(JOBS_OWNER)} and j.job_id is null`,
  )
  const forsaken = await list(
    context,
    sql`select 'job ' || j.job_id || ' has a hold for which no job answers' as breach
          from video_job j join hold h on h.hold_id = j.hold_id
         where h.state = 'held' and h.process_id <> ${sql.lit(JOBS_OWNER)}`,
  )
  const settled = await list(
    context,
    sql`select 'job ' || j.job_id || ' is settled, and its hold is open' as breach
          from video_job j join hold h on h.hold_id = j.hold_id
         where j.settled_at is not null and h.state = 'held'`,
  )
  const unnoticed = await list(
    context,
    sql`select 'job ' || j.job_id || ' does not know that its hold has ended' as breach
          from video_job j join hold h on h.hold_id = j.hold_id
         where j.settled_at is null and h.ended_at < ${sql.lit(before)}`,
  )
  const figures = {
    jobs: await count(context, 'video_job'),
    open: await count(context, 'video_job where settled_at is null'),
    held: await total(context, 'amount', `hold where state = 'held' and process_id = '${JOBS_OWNER}'`),
  }
  return { figures, breaches: [...homeless, ...forsaken, ...settled, ...unnoticed] }
}

/** A completed job has the one capture of its hold and says its amount; a failed one has none. */
export async function checkJobCharges(context: AuditContext): Promise<Finding> {
  const breaches = await list(
    context,
    sql`select 'job ' || j.job_id || ' says another charge than its hold was captured for' as breach
          from video_job j join hold h on h.hold_id = j.hold_id
          left join transfer t on t.hold_id = j.hold_id and t.kind = 'capture'
         where j.settled_at is not null and j.charge <> coalesce(t.charge, 0)`,
  )
  const ends = await list(
    context,
    sql`select 'job ' || j.job_id || ' is ' || j.state || ', and its hold was ' || h.state as breach
          from video_job j join hold h on h.hold_id = j.hold_id
         where j.settled_at is not null and h.state <> 'held'
           and (h.state = 'captured') <> (j.state = 'completed')`,
  )
  const figures = {
    completed: await count(context, `video_job where state = 'completed' and settled_at is not null`),
    failed: await count(context, `video_job where state = 'failed' and settled_at is not null`),
    charged: await total(context, 'charge', 'video_job'),
  }
  return { figures, breaches: [...breaches, ...ends, ...(await findOtherPrices(context))] }
}

/** A job as its row keeps its price, and what the usage record says that was charged. Money is decimal text. */
const notedPrice = z.object({
  seconds: z.number(),
  images: z.number(),
  per_second: z.string(),
  per_image: z.string().nullable(),
  minimum: z.string().nullable(),
})
const chargedPrice = z.object({
  basis: z.string(),
  units: z.record(z.string(), z.number()),
  usd_per_unit: z.record(z.string(), z.string()).optional(),
  minimum_usd: z.string().optional(),
  cost_usd: z.string(),
})

/** A job is charged by what its upstream said that it cost, else by the price that was noted at its submission. */
async function findOtherPrices({ db }: AuditContext): Promise<readonly string[]> {
  const jobs = await db
    .selectFrom('video_job as j')
    .innerJoin('usage_record as u', 'u.usage_id', 'j.hold_id')
    .select(['j.job_id', 'j.price', 'j.cost_usd', 'u.pricing'])
    .where('j.state', '=', 'completed')
    .where('j.settled_at', 'is not', null)
    .where('u.pricing', 'is not', null)
    .orderBy('j.job_id')
    .execute()
  return jobs
    .filter(({ price, cost_usd: cost, pricing }) => !isChargedAsNoted(price, cost, pricing ?? ''))
    .map(({ job_id: jobId }) => `job ${jobId} was charged by another price than it had noted`)
}

function isChargedAsNoted(price: string, cost: string | null, pricing: string): boolean {
  const [noted, charged] = [parseJson(notedPrice, price), parseJson(chargedPrice, pricing)]
  if (noted === null || charged === null) return false
  const { units, usd_per_unit: prices, minimum_usd: minimum } = charged
  const images = noted.per_image === null ? undefined : noted.images
  if (units['seconds'] !== noted.seconds || units['input_images'] !== images) return false
  if (cost !== null) return charged.basis === 'cost' && charged.cost_usd === cost
  return (
    prices?.['seconds'] === noted.per_second &&
    prices['input_images'] === (noted.per_image ?? undefined) &&
    minimum === (noted.minimum ?? undefined)
  )
}

function parseJson<Value>(schema: z.ZodType<Value>, text: string): Value | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
