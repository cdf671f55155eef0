/** Limits of the whole gateway that operators set while it runs. Source: decision 0177. */
import type { GatewayLimit, GatewayLimitChange, GatewayLimitPreview } from '@svc/contract'
import type { JournalDeps, Operator } from '../../access/operators/journal.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Writing } from './operations-deps.ts'
import { setBesideFile } from './set-beside-file.ts'

/** Times are in milliseconds since the epoch. */
export interface ListedLimits {
  readonly data: readonly GatewayLimit[]
  readonly problems: readonly string[]
}

export interface GatewayLimitServices {
  list(): Promise<ListedLimits>
  preview(change: GatewayLimitChange): Promise<GatewayLimitPreview>
  /** What is wrong with a change; null where it can be made. */
  problemOf(change: GatewayLimitChange): string | null
  /** Makes this process go by what is set now. */
  follow(): Promise<void>
}

/** What the name of the setting begins with that a change is written to. */
export const LIMIT_SETTING = 'limit:'

/** @throws {ServiceError} `invalid_value` for what the file sets, what needs a restart, and a value out of range. */
export function requireLimitChange(limits: GatewayLimitServices, change: GatewayLimitChange): void {
  const problem = limits.problemOf(change)
  if (problem !== null) throw new ServiceError('invalid_value', problem, { param: 'change' })
}

/**
 * Changes one limit, with an entry in the journal that has what was and is.
 *
 * @throws {ServiceError} as above.
 */
export async function changeGatewayLimit(
  deps: JournalDeps & Writing<'settings'> & { readonly gatewayLimits: GatewayLimitServices },
  by: Operator,
  { change: { name, value }, reason }: { readonly change: GatewayLimitChange; readonly reason: string },
): Promise<void> {
  const { gatewayLimits } = deps
  requireLimitChange(gatewayLimits, { name, value })
  const { data } = await gatewayLimits.list()
  const was = data.find((limit) => limit.name === name)
  const before = was?.set_in === 'console' ? was.value : 'default'
  const details = { limit: { from: before, to: value ?? 'default' } }
  await setBesideFile(
    deps,
    by,
    { name: `${LIMIT_SETTING}${name}`, value: value === null ? null : String(value) },
    { entry: { action: 'limit.change', subject: name, reason, details }, follow: () => gatewayLimits.follow() },
  )
}
