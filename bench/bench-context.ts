import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type BenchPostgres, openBenchPostgres } from './bench-postgres.ts'
import { Children } from './children.ts'
import type { LoadOrder, LoadResult } from './load-order.ts'
import type { BenchOptions } from './options.ts'

/** What every row works with. */
export interface BenchContext {
  readonly options: BenchOptions
  readonly children: Children
  /**
   * Has the load generator carry out an order.
   * @throws {Error} when an answer failed, or none came for too long.
   */
  load(order: LoadOrder): Promise<LoadResult>
  /** The PostgreSQL server, started when it is first asked for. */
  postgres(): Promise<BenchPostgres>
  /** Tells the person who waits what happens. */
  say(text: string): void
}

/** Time for an order beyond its own length, in milliseconds. */
const ORDER_GRACE_MS = 60_000

/** A context with what only the program itself needs of it. */
export interface OpenBenchContext extends BenchContext {
  /** Null as long as no row asked for PostgreSQL. */
  postgresVersion(): string | null
  /** Ends every process that was started and removes every folder. */
  close(): Promise<void>
}

/** Opens what the rows share. */
export async function openBenchContext(options: BenchOptions): Promise<OpenBenchContext> {
  const children = new Children()
  // Lives from row to row, so that its code is warm.
  const generators = new Children()
  const startGenerator = async (): Promise<ChildProcess> => (await generators.start('load-generator', {})).child
  let generator = await startGenerator()
  let postgres: Promise<BenchPostgres> | null = null
  let version: string | null = null
  return {
    ...{ options, children },
    async load(order) {
      try {
        return await carryOut(generator, order)
      } catch (error) {
        // It may be in the middle of the order still.
        await generators.clear()
        generator = await startGenerator()
        throw error
      }
    },
    async postgres() {
      postgres ??= openBenchPostgres(options.database)
      const opened = await postgres
      version = opened.version
      return opened
    },
    postgresVersion: () => version,
    say: (text) => void process.stderr.write(`${text}\n`),
    async close() {
      await Promise.all([children.clear(), generators.clear()])
      await postgres?.then((opened) => opened.close()).catch(() => undefined)
    },
  }
}

async function carryOut(generator: ChildProcess, order: LoadOrder): Promise<LoadResult> {
  const ownMs =
    'seconds' in order ? order.seconds * 1_000 : 'perSecond' in order ? (order.streams / order.perSecond) * 1_000 : 0
  const signal = AbortSignal.timeout(Math.ceil(ownMs) + ORDER_GRACE_MS)
  generator.send(order)
  const [result] = (await once(generator, 'message', { signal }).catch((error: unknown) => {
    throw new Error('the load generator did not answer in time', { cause: error })
  })) as [LoadResult]
  if (result.failed > 0) throw new Error(`${result.failed} requests failed, the first with: ${result.failure}`)
  return result
}
