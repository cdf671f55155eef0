/**
 * How whole numbers of the database become values: one rule for both engines, by the name of the result's column.
 */
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs, RootOperationNode } from 'kysely'
import { InvariantError } from '../errors/invariant-error.ts'

const MONEY_COLUMN =
  /(?:^|_)(?:nanocredits|posted|held|spent|reserved|amount|funding|charge|write_off|cost|margin|credits)$/

const known = new Map<string, boolean>()
const KNOWN_MAX = 1_000

/**
 * Tells whether a result column holds money, and so comes back as `bigint`.
 *
 * True for the money columns of the schema and for every alias that ends in such a name after an underscore: the sum of
 * charges is named `total_charge`, never `total`.
 */
export function isMoneyColumn(name: string): boolean {
  const before = known.get(name)
  if (before !== undefined) return before
  const isMoney = MONEY_COLUMN.test(name)
  if (known.size < KNOWN_MAX) known.set(name, isMoney)
  return isMoney
}

/**
 * Turns every `bigint` of a row that is not money into a `number`, in place.
 *
 * @throws {InvariantError} when such a value does not fit into a number exactly.
 */
export function convertIntegers(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name]
    if (typeof value !== 'bigint' || isMoneyColumn(name)) continue
    const narrow = Number(value)
    if (!Number.isSafeInteger(narrow)) throw new InvariantError(`column ${name} holds ${value}, too large for a number`)
    row[name] = narrow
  }
  return row
}

/** Applies `convertIntegers` to everything that a Kysely instance reads. */
export const integerColumns: KyselyPlugin = {
  transformQuery: (args: PluginTransformQueryArgs): RootOperationNode => args.node,
  transformResult: async (args: PluginTransformResultArgs) => {
    for (const row of args.result.rows) convertIntegers(row)
    return args.result
  },
}
