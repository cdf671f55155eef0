/**
 * Values of a `select` that writes a row, in place of `values`: PostgreSQL takes those without a type for text, and
 * refuses them where a number is due.
 */
import { type RawBuilder, sql } from 'kysely'

export const text = (value: string | null): RawBuilder<string> => sql<string>`cast(${value} as text)`

export const whole = (value: number | bigint | null): RawBuilder<number> => sql<number>`cast(${value} as bigint)`
