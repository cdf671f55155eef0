import {
  chargeBases,
  creditsJson,
  MARGIN_BPS,
  nanocreditsOf,
  usagePricing,
  usageTypes,
  type Printed,
  type UsageRecordBody,
  type UsageReply,
  type UsageType,
} from '@svc/contract'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { usageKinds } from './usage-kinds.ts'
import type { OpenHoldRow, UsageRow } from './usage-store.ts'

/** The record of an ended request as the wire shows it, with all that its charge can be calculated from again. */
export function renderUsageRecord(row: UsageRow): Printed<UsageRecordBody> {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = row
  const pricing = row.pricing === null ? null : usagePricing.parse(JSON.parse(row.pricing))
  return {
    id: row.usage_id,
    object: 'usage.record',
    state: 'final',
    request_id: row.usage_id,
    created: Math.floor(row.started_at / 1_000),
    type: typeOf(row.type),
    model: row.model,
    upstream_model: row.upstream_model,
    status: row.status,
    error_code: row.error_code,
    stream: row.stream === 1,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
    cached_tokens: row.cached_tokens,
    reasoning_tokens: row.reasoning_tokens,
    units: unitsOf(typeOf(row.type), pricing),
    credits_charged: creditsJson(nanocreditsOf(row.charge)),
    margin_bps: MARGIN_BPS,
    basis: basisOf(row.basis),
    estimated: row.estimated === 1,
    pricing,
    latency_ms: row.latency_ms,
    job_id: row.job_id,
  }
}

/** A request whose hold is still open. */
export function renderPendingUsage(hold: OpenHoldRow): Printed<UsageReply> {
  return {
    id: hold.hold_id,
    object: 'usage.record',
    state: 'pending',
    request_id: hold.hold_id,
    created: Math.floor(hold.placed_at / 1_000),
    type: typeOf(hold.type),
    model: hold.model,
    stream: hold.stream === 1,
    credits_reserved: creditsJson(nanocreditsOf(hold.amount)),
    job_id: hold.job_id,
  }
}

type Units = NonNullable<UsageRecordBody['units']>

/** What was counted, taken from what explains the charge; null for free requests and for tokens. */
function unitsOf(type: UsageType, pricing: UsageRecordBody['pricing']): Units | null {
  for (const kind of usageKinds[type].units) {
    const quantity: unknown = pricing?.units?.[kind]
    if (typeof quantity === 'number') return { kind, quantity }
  }
  return null
}

function typeOf(text: string): UsageType {
  const type = usageTypes.find((known) => known === text)
  if (type === undefined) throw new InvariantError(`a usage row has an unknown type: ${text}`)
  return type
}

function basisOf(text: string | null): UsageRecordBody['basis'] {
  if (text === null) return null
  const basis = chargeBases.find((known) => known === text)
  if (basis === undefined) throw new InvariantError(`a usage row has an unknown basis: ${text}`)
  return basis
}
