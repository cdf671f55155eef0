/** The statements that write a past, alike on both engines. */
import { MARGIN_BPS } from '@svc/contract'
import { EVERY_KEY, KEY_TIMINGS_KEPT_HOURS } from '../packages/server/src/money/billing/timing-store.ts'
import type { DatabaseEngine } from '../packages/server/src/platform/db/database.ts'

/** Requests that are spread evenly over a time. */
export interface HistorySpan {
  readonly requests: number
  /** Milliseconds since the epoch; `from` is in, `to` is out. At least a millisecond for each request. */
  readonly from: number
  readonly to: number
}

/** The requests of one transaction; both are in. */
export interface HistoryPart extends HistorySpan {
  /** Keys that they are of. */
  readonly keys: number
  readonly first: number
  readonly last: number
}

/** Nanocredits of a token, each a whole number of thousands: a rate card names a million of them. */
interface SoldModel {
  readonly type: 'chat' | 'embedding'
  readonly model: string
  readonly upstreamModel: string
  readonly input: number
  readonly output: number
}

const MODELS: readonly SoldModel[] = [
  { type: 'chat', model: 'svc-gpt', upstreamModel: 'openai/gpt-6-astra', input: 2_500_000, output: 10_000_000 },
  { type: 'chat', model: 'svc-gpt', upstreamModel: 'openai/gpt-6-astra', input: 2_500_000, output: 10_000_000 },
  { type: 'chat', model: 'openai/gpt-6-mini', upstreamModel: 'openai/gpt-6-mini', input: 150_000, output: 600_000 },
  { type: 'chat', model: 'svc-claude', upstreamModel: 'anthropic/claude-opus-5', input: 3_000_000, output: 15_000_000 },
  { type: 'chat', model: 'google/gemini-4', upstreamModel: 'google/gemini-4', input: 1_250_000, output: 5_000_000 },
  { type: 'chat', model: 'meta/llama-5-70b', upstreamModel: 'meta/llama-5-70b', input: 400_000, output: 400_000 },
  { type: 'chat', model: 'qwen/qwen-4', upstreamModel: 'qwen/qwen-4', input: 200_000, output: 800_000 },
  { type: 'embedding', model: 'svc-embed', upstreamModel: 'openai/embedding-4', input: 20_000, output: 0 },
]

/** Lines of the ledger log that one batch of the ledger has left. */
const LOGGED_AT_ONCE = 64

/** Where two engines say the same in other words. */
interface Dialect {
  readonly hex: (value: string, digits: number) => string
  readonly decimal: (value: string, digits: number) => string
  /** Rows with the column `n`; both are in. */
  readonly numbers: (first: number, last: number) => string
  readonly joinTexts: (value: string, order: string) => string
}

const DIALECTS: Readonly<Record<DatabaseEngine, Dialect>> = {
  postgres: {
    hex: (value, digits) => `lpad(to_hex(${value}), ${digits}, '0')`,
    decimal: (value, digits) => `lpad(cast(${value} as text), ${digits}, '0')`,
    numbers: (first, last) => `generate_series(cast(${first} as bigint), ${last}) as number (n)`,
    joinTexts: (value, order) => `string_agg(${value}, ',' order by ${order})`,
  },
  sqlite: {
    hex: (value, digits) => `format('%0${digits}x', ${value})`,
    decimal: (value, digits) => `format('%0${digits}d', ${value})`,
    numbers: (first, last) =>
      `(with recursive counted(n) as (select ${first} union all select n + 1 from counted where n < ${last})
        select n from counted) as number`,
    joinTexts: (value, order) => `group_concat(${value}, ',' order by ${order})`,
  },
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** Credits of a million tokens, as a rate card names them. */
const perMillion = (nanocredits: number): string => String(nanocredits / 1_000)

/** What comes before the first request. */
export function prepareHistory(engine: DatabaseEngine, keyIds: readonly string[]): readonly string[] {
  const keys = keyIds.map((id, at) => `(${at}, ${text(id)})`)
  const models = MODELS.map(
    ({ type, model, upstreamModel, input, output }, at) =>
      `(${at}, ${text(type)}, ${text(model)}, ${text(upstreamModel)}, ${input}, ${output}, ` +
      `'"card":{"credits_per_1m_input":"${perMillion(input)}","credits_per_1m_output":"${perMillion(output)}"}')`,
  )
  return [
    ...(engine === 'postgres'
      ? [`set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'`]
      : ['pragma foreign_keys = off; pragma synchronous = off; pragma temp_store = memory']),
    'create temp table past_number (number bigint primary key, key_id text not null)',
    `insert into past_number values ${keys.join(', ')}`,
    `create temp table past_key as
       select n.number, k.key_id, k.team_id, k.account_id, k.budget_id, b.period
         from past_number n join api_key k on k.key_id = n.key_id join budget b on b.budget_id = k.budget_id`,
    `create temp table past_model (number bigint primary key, type text not null, model text not null,
       upstream_model text not null, input bigint not null, output bigint not null, card text not null)`,
    `insert into past_model values ${models.join(', ')}`,
    `create temp table past (n bigint not null, id text not null, at bigint not null, ended_at bigint not null,
       first_ms bigint, key_id text not null, team_id text, account_id text not null, budget_id text not null,
       window_start bigint not null, type text not null, model text not null, upstream_model text not null,
       status text not null, state text not null, error_code text, stream bigint not null, prompt bigint,
       completion bigint, amount bigint not null, charge bigint not null, write_off bigint not null,
       cost bigint not null, pricing text, generation_id text)`,
  ]
}

const [DAY_MS, HOUR_MS] = [86_400_000, 3_600_000]

/** The rows of some requests. */
export function historyStatements(engine: DatabaseEngine, part: HistoryPart): readonly string[] {
  return [
    // Rows that PostgreSQL deletes stay in the way until a vacuum.
    engine === 'postgres' ? 'truncate past' : 'delete from past',
    `insert into past ${requestsOf(DIALECTS[engine], part)}`,
    `insert into hold (hold_id, account_id, key_id, key_budget_id, key_window_start, process_id, type, model, stream,
         amount, state, placed_at, ended_at)
       select id, account_id, key_id, budget_id, window_start, '01999999-9999-7999-8999-999999999999', type, model,
         stream, amount, state, at, ended_at from past order by n`,
    `insert into transfer (transfer_id, account_id, kind, hold_id, funding, charge, write_off, cost, margin,
         created_at)
       select id, account_id, case when charge > 0 then 'capture' else 'write_off' end, id, 0, charge, write_off, cost,
         charge + write_off - cost, ended_at from past where charge + write_off > 0 order by n`,
    `insert into usage_record (usage_id, account_id, team_id, key_id, created_at, started_at, type, model, upstream,
         upstream_model, status, error_code, stream, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,
         charge, write_off, cost, basis, estimated, pricing, generation_id, latency_ms)
       select id, account_id, team_id, key_id, ended_at, at, type, model, 'default', upstream_model, status, error_code,
         stream, prompt, completion, case when prompt is null then null else 0 end,
         case when prompt is null then null else 0 end, charge, write_off, cost,
         case when pricing is null then null else 'card' end, 0, pricing, generation_id, ended_at - at
         from past order by n`,
    `insert into usage_daily as d (key_id, day, type, model, account_id, requests, charge, prompt_tokens,
         completion_tokens)
       select key_id, at / ${DAY_MS}, type, model, account_id, count(*), sum(charge), sum(coalesce(prompt, 0)),
         sum(coalesce(completion, 0)) from past where true group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4
       on conflict (key_id, day, type, model) do update set requests = d.requests + excluded.requests,
         charge = d.charge + excluded.charge, prompt_tokens = d.prompt_tokens + excluded.prompt_tokens,
         completion_tokens = d.completion_tokens + excluded.completion_tokens`,
    ...timingsOf(part),
    `insert into ledger_log_pending (entries)
       select '[' || ${DIALECTS[engine].joinTexts(`'"r' || id || '"'`, 'n')} || ']'
         from past group by n / ${LOGGED_AT_ONCE} order by n / ${LOGGED_AT_ONCE}`,
  ]
}

/**
 * Requests as rows of `past`. Which key and model, how many tokens and which end are drawn by multiplication, so that
 * each run draws the same. 95 of 100 are charged, two of them for callers who left; four fail, one of them at our cost.
 */
function requestsOf(
  { hex, decimal, numbers }: Dialect,
  { keys, first, last, from, to, requests }: HistoryPart,
): string {
  const draw = (factor: number): string => `n * ${factor} % 4294967296`
  const drawn = `select n, ${from} + n * ${to - from} / ${requests + 1} as at, ${draw(2_654_435_761)} as a,
      ${draw(2_246_822_519)} as b, ${draw(3_266_489_917)} as c, ${draw(668_265_263)} as d from ${numbers(first, last)}`
  // The cube of an even number prefers small ones: many requests come from few keys.
  const cube = '(a / 65536) * (a / 65536) / 65536 * (a / 65536) / 65536'
  const told = `select r.*, 300 + b / 4096 % 20000 as ms, ${cube} * ${keys} / 65536 as key_number,
      c / 1024 % ${MODELS.length} as model_number, b / 256 % 10 as s, c / 65536 % 100 as fate,
      20 + (b / 65536) * (b / 65536) / 65536 * 8000 / 65536 as prompt,
      2 + (d / 65536) * (d / 65536) / 65536 * 1500 / 65536 as answer from (${drawn}) r`
  const priced = `select r.*, m.type, m.model, m.upstream_model, m.card, k.key_id, k.team_id, k.account_id, k.budget_id,
      k.period, case when m.type = 'chat' and s < 7 then 1 else 0 end as stream,
      case when m.type = 'chat' then answer else 0 end as completion,
      prompt * m.input + case when m.type = 'chat' then answer * m.output else 0 end as due
    from (${told}) r join past_key k on k.number = key_number join past_model m on m.number = model_number`
  const charged = 'fate < 95'
  const when = (condition: string, value: string, otherwise = 'null'): string =>
    `case when ${condition} then ${value} else ${otherwise} end`
  const time = hex('at', 12)
  const id =
    `substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7' || ${hex('n % 4096', 3)} || '-8' || ` +
    `${hex('c % 4096', 3)} || '-' || ${hex('b', 8)} || ${hex('d % 65536', 4)}`
  const pricing =
    `'{"basis":"card","prompt_tokens":' || prompt || ',"completion_tokens":' || completion || ',' || card || ` +
    `',"cost_usd":"0.' || ${decimal('due * 3 / 4', 12)} || '","margin_bps":${MARGIN_BPS}}'`
  return `select n, ${id}, at, at + ms, ${when('stream = 1', 'ms / 4')}, key_id, team_id, account_id, budget_id,
      ${when(`period = 'daily'`, `at / ${DAY_MS} * ${DAY_MS}`, '0')}, type, model, upstream_model,
      ${when('fate < 93', `'ok'`, when(charged, `'cancelled'`, `'error'`))}, ${when(charged, `'captured'`, `'released'`)},
      ${when(charged, 'null', `'upstream_error'`)}, stream, ${when(charged, 'prompt')}, ${when(charged, 'completion')},
      due * 3 + 1000000, ${when(charged, 'due', '0')}, ${when('fate = 99', 'due / 2', '0')},
      ${when(charged, 'due * 3 / 4', when('fate = 99', 'due / 2', '0'))}, ${when(charged, pricing)},
      ${when(`${charged} or fate = 99`, `'gen-' || at / 1000 || '-' || ${hex('a', 8)} || ${hex('b', 8)} || ${hex('c', 4)}`)}
    from (${priced}) r`
}

/** A number as `bucketOf` puts it into one. */
const bucket = (value: string): string =>
  `case when ${value} <= 1 then 0 else cast(round(4 * ln(cast(${value} as double precision)) / ln(2)) as bigint) end`

/** What is kept of how long requests took: of all keys together, and for a shorter time of each key. */
function timingsOf({ to }: HistoryPart): readonly string[] {
  const statement = (key: string, which: string): string => `
    insert into request_timing as t (key_id, hour, model, measure, bucket, requests)
      select ${key}, at / ${HOUR_MS}, model, measure, bucket, count(*)
        from (select key_id, at, model, 'failed' as measure, 0 as bucket from past where status = 'error'
              union all select key_id, at, model, 'ok', 0 from past where status = 'ok'
              union all select key_id, at, model, 'duration', ${bucket('ended_at - at')} from past where status = 'ok'
              union all select key_id, at, model, 'first_content', ${bucket('first_ms')}
                          from past where status = 'ok' and stream = 1
              union all select key_id, at, model, 'speed',
                               ${bucket('completion * 1000.0 / (ended_at - at - coalesce(first_ms, 0))')}
                          from past where status = 'ok' and completion >= 2) p
       where ${which} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
      on conflict (key_id, hour, model, measure, bucket) do update set requests = t.requests + excluded.requests`
  return [statement(`'${EVERY_KEY}'`, 'true'), statement('key_id', `at >= ${to - KEY_TIMINGS_KEPT_HOURS * HOUR_MS}`)]
}

/** What comes behind the last request: what is counted over all of them. */
export function concludeHistory(engine: DatabaseEngine): readonly string[] {
  return [
    `insert into budget_window (budget_id, window_start, spent)
       select k.budget_id, case when k.period = 'daily' then d.day * ${DAY_MS} else 0 end, sum(d.charge)
         from usage_daily d join past_key k on k.key_id = d.key_id group by 1, 2`,
    `update balance set posted = posted - s.charge
       from (select account_id, sum(charge) as charge from usage_daily group by 1) s
      where s.account_id = balance.account_id`,
    ...(engine === 'postgres' ? ['vacuum analyze', 'checkpoint'] : ['analyze', 'pragma wal_checkpoint(truncate)']),
  ]
}
