/** Limits of the whole gateway that operators set while it runs. Source: decision 0177. */
import type { GatewayLimit, GatewayLimitChange, GatewayLimitPreview } from '@svc/contract'
import { type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Writing } from './operations-deps.ts'

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

/** The name of the setting that a change is written to. */
export function limitSettingOf(name: string): string {
  return `limit:${name}`
}

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
  await keepJournal(
    deps,
    by,
    { action: 'limit.change', subject: name, reason, details: { limit: { from: before, to: value ?? 'default' } } },
    {
      work: () => {
        const written = new Map([[limitSettingOf(name), value === null ? null : String(value)]])
        return deps.writesOf(by).settings.writeSettings(written, by.name, deps.clock.now())
      },
      outcomeOf: () => 'done',
    },
  )
  await gatewayLimits.follow()
}
