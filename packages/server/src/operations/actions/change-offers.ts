/** Prices and routes that operators set while the gateway runs. Source: decision 0172. */
import type { OfferChange, OfferPrice, OfferRoute } from '@svc/contract'
import type { JournalDeps, Operator } from '../../access/operators/journal.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Writing } from './operations-deps.ts'
import { setBesideFile } from './set-beside-file.ts'

interface SetOffer<Value> {
  readonly id: string
  readonly set_in: 'file' | 'console'
  /** Milliseconds since the epoch; null in the file. */
  readonly at: number | null
  readonly by: string | null
  readonly value: Value
}

export interface SetOffers {
  readonly upstreams: readonly { readonly name: string; readonly kind: string }[]
  readonly prices: readonly SetOffer<OfferPrice>[]
  readonly routes: readonly SetOffer<OfferRoute>[]
  /** Entries that hold no more. */
  readonly problems: readonly string[]
}

export interface OfferServices {
  list(): Promise<SetOffers>
  /** The catalog as it is, and as it would be. */
  preview(change: OfferChange): Promise<{ readonly before: Catalog; readonly after: Catalog }>
  /** What is wrong with a change; empty where it can be made. */
  problemsOf(change: OfferChange): readonly string[]
  /** Makes this process sell by what is set now. */
  follow(): Promise<void>
}

/** @throws {ServiceError} `invalid_value` for what the file sets, or a route that leads nowhere. */
export function requireOffer(offers: OfferServices, change: OfferChange): void {
  const problems = offers.problemsOf(change)
  if (problems.length > 0) throw new ServiceError('invalid_value', problems.join(' '), { param: 'change' })
}

/**
 * Changes one price or route, with an entry in the journal that has what was and is.
 *
 * @throws {ServiceError} as above.
 */
export async function changeOffer(
  deps: JournalDeps & Writing<'settings'> & { readonly offers: OfferServices },
  by: Operator,
  { change, reason }: { readonly change: OfferChange; readonly reason: string },
): Promise<void> {
  const { offers } = deps
  requireOffer(offers, change)
  const set = await offers.list()
  const before = (change.kind === 'price' ? set.prices : set.routes).find(({ id }) => id === change.id)?.value ?? null
  const details = { [change.kind]: { from: textOf(before), to: textOf(change.value) } }
  const value = change.value === null ? null : JSON.stringify(change.value)
  await setBesideFile(
    deps,
    by,
    { name: nameOf(change), value },
    { entry: { action: 'offer.change', subject: change.id, reason, details }, follow: () => offers.follow() },
  )
}

/** The name of the setting that a change is written to. */
export function nameOf({ kind, id }: OfferChange): string {
  return `${kind}:${id}`
}

/** As the journal has it: without what says nothing. */
function textOf(value: OfferPrice | OfferRoute | null): string | null {
  if (value === null) return null
  const shown = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(shown)
    if (typeof each !== 'object' || each === null) return each
    const entries = Object.entries(each).filter(([, inner]) => inner !== null)
    return Object.fromEntries(entries.map(([key, inner]) => [key, shown(inner)]))
  }
  return JSON.stringify(shown(value))
}
