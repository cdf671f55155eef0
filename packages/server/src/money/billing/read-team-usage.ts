/** Requests and credits of a team, as its people see them. */
import {
  creditsJson,
  dayIn,
  nanocreditsOf,
  segmentsOf,
  usdJson,
  type Printed,
  type teamBalance,
  type teamUsageDays,
  type TeamUsageDaysQuery,
  type TeamUsageEntries,
  type teamUsageList,
  type TeamUsageQuery,
  type teamUsageReply,
  LOCAL_DAYS_MAX,
  USAGE_DAYS_MAX,
} from '@svc/contract'
import type { z } from 'zod'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { budgetRemaining } from '../ledger/budget-window.ts'
import type { ReadBalanceDeps } from './read-balance.ts'
import { findUsage, type ReadUsageDeps } from './read-usage.ts'
import { renderPendingUsage, renderUsageRecord } from './render-usage.ts'
import { SMALL_LIMIT_UNITS } from './small-limit.ts'
import type { UsageScope } from './usage-scope.ts'
import type { UsageFilter } from './usage-filter.ts'

const DAY_MS = 86_400_000

/** Whose requests a member may see. */
export interface UsageReach {
  readonly accountId: string
  readonly teamId: string
  readonly userId: string
  /** False for a person who sees only what their own keys did. */
  readonly seesAll: boolean
}

const keyOf = (row: { readonly key_id: string; readonly key_name: string }) => ({
  key_id: row.key_id,
  key_name: row.key_name,
})

/** The requests that a member may see. @param key the id of one key, for its requests alone. */
export function scopeOf({ accountId, teamId, userId, seesAll }: UsageReach, key?: string): UsageScope {
  return { accountId, teamId, createdBy: seesAll ? null : userId, onlyKey: key ?? null }
}

/** What a team can spend: the least of the balance and the team's cap, less what is held. Never cached. */
export async function readTeamBalance(
  { store, clock }: ReadBalanceDeps,
  team: { readonly accountId: string; readonly budgetId: string | null },
): Promise<Printed<z.output<typeof teamBalance>>> {
  const [balance, budget] = await Promise.all([
    store.findBalance(team.accountId),
    team.budgetId === null ? null : store.findBudget(team.budgetId, clock.now()),
  ])
  if (balance === null) throw new InvariantError(`account ${team.accountId} has no balance row`)
  const free = balance.posted - balance.held
  const capped = budget === null ? null : budgetRemaining(budget)
  const isCapped = capped !== null && capped < free
  return {
    credits: creditsJson(nanocreditsOf(balance.posted)),
    credits_reserved: creditsJson(nanocreditsOf(balance.held)),
    credits_available: creditsJson(nanocreditsOf(isCapped ? capped : free)),
    limited_by: isCapped ? 'team' : 'balance',
    usd: usdJson(nanocreditsOf(balance.posted)),
  }
}

/** One page of requests, newest first. @throws {ServiceError} `invalid_value` when `from` is not before `to`. */
export async function listTeamUsage(
  deps: ReadUsageDeps,
  reach: UsageReach,
  { key, ...query }: TeamUsageQuery,
): Promise<Printed<z.output<typeof teamUsageList>>> {
  const { rows, ...page } = await findUsage(deps, scopeOf(reach, key), query)
  return { ...page, data: rows.map((row) => ({ ...renderUsageRecord(row), ...keyOf(row) })) }
}

/** @throws {ServiceError} `usage_not_found` when there is none within the reach. */
export async function readTeamUsage(
  { store }: ReadUsageDeps,
  reach: UsageReach,
  requestId: string,
): Promise<Printed<z.output<typeof teamUsageReply>>> {
  const scope = scopeOf(reach)
  const id = requestId.toLowerCase()
  const hold = await store.findOpenHold(scope, id)
  if (hold !== null) {
    const pending = renderPendingUsage(hold)
    if (pending.state === 'pending') return { ...pending, ...keyOf(hold) }
  }
  const row = await store.find(scope, id)
  if (row !== null) return { ...renderUsageRecord(row), ...keyOf(row) }
  throw noSuchRequest()
}

/** How the money of one request moved. @throws {ServiceError} `usage_not_found` when there is none in reach. */
export async function readTeamUsageEntries(
  { store }: ReadUsageDeps,
  reach: UsageReach,
  requestId: string,
): Promise<Printed<TeamUsageEntries>> {
  const id = requestId.toLowerCase()
  const movement = await store.findMovement(scopeOf(reach), id)
  if (movement === null) throw noSuchRequest()
  const { hold, extensions, transfer, entries } = movement
  const [first] = extensions
  return {
    request_id: id,
    hold: {
      state: hold.state,
      placed_at_ms: hold.placed_at,
      ended_at_ms: hold.ended_at,
      credits_placed: creditsJson(nanocreditsOf(first === undefined ? hold.amount : first.amount - first.added_amount)),
      // A hold that grew meanwhile is shown as its last extension that was read.
      credits_reserved: creditsJson(nanocreditsOf(extensions.at(-1)?.amount ?? hold.amount)),
      output_limit: outputLimitOf(hold.limit_units),
      extensions: extensions.map(({ amount, added_amount: added, extended_at: at }) => ({
        at_ms: at,
        credits_added: creditsJson(nanocreditsOf(added)),
        credits_reserved: creditsJson(nanocreditsOf(amount)),
      })),
    },
    transfer:
      transfer === null
        ? null
        : {
            id: transfer.transfer_id,
            kind: transfer.kind === 'write_off' ? 'write_off' : 'capture',
            created_at_ms: transfer.created_at,
            entries: entries.map(({ account, amount }) => ({ account, credits: creditsJson(nanocreditsOf(amount)) })),
          },
  }
}

/** A limit that was small made the gateway count the prompt, and may have been raised after the hold was placed. */
function outputLimitOf(units: number | null): TeamUsageEntries['hold']['output_limit'] {
  return units === null ? null : { units, is_exact: units >= SMALL_LIMIT_UNITS }
}

function noSuchRequest(): ServiceError {
  return new ServiceError('usage_not_found', 'There is no such request.', { param: 'request_id' })
}

/**
 * Totals by day and model, key, person or type.
 *
 * @throws {ServiceError} `invalid_value` where there is no such day, or there would be too many.
 */
export async function listTeamUsageDays(
  { store }: ReadUsageDeps,
  reach: UsageReach,
  { key, by, ...rest }: TeamUsageDaysQuery & { readonly now: number },
): Promise<Printed<z.output<typeof teamUsageDays>>> {
  const zone = rest.time_zone ?? 'UTC'
  const { first, last } = spanOf(rest, zone)
  const filter: UsageFilter = {
    scope: scopeOf(reach, key),
    ...(rest.type === undefined ? {} : { type: rest.type }),
    ...(rest.model === undefined ? {} : { model: rest.model }),
  }
  const segments = segmentsOf(zone, first, last)
  const isUtc = segments.every(({ offsetMs }) => offsetMs === 0)
  if (!isUtc && last - first >= LOCAL_DAYS_MAX) throw tooManyDays(LOCAL_DAYS_MAX, ' in this time zone; UTC has more')
  const rows = isUtc
    ? await store.listDays(filter, { first, last, by })
    : await store.listLocalDays(filter, segments, by)
  return {
    first_day: dateOf(first),
    last_day: dateOf(last),
    data: rows.map(({ day, part, name, requests, tokens, charge }) => ({
      day: dateOf(day),
      group: part,
      name,
      requests,
      tokens,
      credits_charged: creditsJson(nanocreditsOf(charge)),
    })),
  }
}

type AskedDays = Pick<TeamUsageDaysQuery, 'days' | 'from' | 'to'> & { readonly now: number }

/** The first and the last day, as days since the epoch. */
function spanOf({ days, from, to, now }: AskedDays, zone: string): { readonly first: number; readonly last: number } {
  const last = to === undefined ? dayIn(zone, now) : Date.parse(to) / DAY_MS
  const first = from === undefined ? last - days + 1 : Date.parse(from) / DAY_MS
  if (first > last) throw new ServiceError('invalid_value', 'from must not be after to.', { param: 'from' })
  if (last - first >= USAGE_DAYS_MAX) throw tooManyDays(USAGE_DAYS_MAX, '')
  return { first, last }
}

const tooManyDays = (most: number, where: string): ServiceError =>
  new ServiceError('invalid_value', `At most ${most} days are answered at once${where}.`, { param: 'from' })

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}
