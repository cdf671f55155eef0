/** The invariants of jobs, which own their holds. Source: decision 0024 (video jobs). */
import { sql } from 'kysely'
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
  return { figures, breaches: [...homeless, ...settled, ...unnoticed] }
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
  return { figures, breaches: [...breaches, ...ends] }
}
