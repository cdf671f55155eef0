import type { CompiledQuery } from 'kysely'
import type { Database } from '../platform/db/database.ts'

/** The row is not as it has to be. */
class OvertakenError extends Error {}

/**
 * Writes several statements in one transaction if the first changes a row, and nothing otherwise.
 *
 * @returns whether it did.
 */
export async function writeIf(
  { write }: Pick<Database, 'write'>,
  statement: CompiledQuery,
  more: readonly CompiledQuery[],
): Promise<boolean> {
  try {
    await write(more, { statement, unmet: () => new OvertakenError() })
    return true
  } catch (error) {
    if (error instanceof OvertakenError) return false
    throw error
  }
}
