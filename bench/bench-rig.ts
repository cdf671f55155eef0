/** An upstream, the baseline and a gateway before it: what most rows measure. */
import { join } from 'node:path'
import { startBareProxy } from './bare-proxy.ts'
import type { BenchContext } from './bench-context.ts'
import { type FreshDatabase, makeSqliteDatabase } from '../packages/server/testing/fresh-database.ts'
import { createFundedAccount, startGateway } from './gateway-process.ts'
import type { PairedSides } from './pairs.ts'
import type { StubSettings } from './program-settings.ts'
import type { Side } from './side.ts'

export type BenchEngine = 'sqlite' | 'postgres'

export const ENGINE_NAMES: Readonly<Record<BenchEngine, string>> = { sqlite: 'embedded', postgres: 'PostgreSQL' }

/** Starts a plain upstream; resolves with its origin. */
export async function startStub(
  { children }: BenchContext,
  settings: Omit<StubSettings, 'identity'> = { chunks: 2, gapMs: 1 },
): Promise<string> {
  const { port } = await children.start('stub-upstream', { ...settings, identity: null } satisfies StubSettings)
  return `http://127.0.0.1:${port}`
}

/** An empty database for a gateway. */
export async function createDatabase(context: BenchContext, engine: BenchEngine): Promise<FreshDatabase> {
  if (engine === 'sqlite') return makeSqliteDatabase(null)
  const postgres = await context.postgres()
  return postgres.createDatabase()
}

/** The folder for profiles of one row; null when none are wanted. */
export function profileFolder({ options }: BenchContext, name: string): string | null {
  return options.profile === null ? null : join(options.profile, name)
}

/** Starts the baseline and a gateway on a new database before one upstream, hands both over, and stops them. */
export async function withPair<Result>(
  context: BenchContext,
  options: { readonly engine: BenchEngine; readonly name: string; readonly upstream: string },
  use: (sides: PairedSides) => Promise<Result>,
): Promise<Result> {
  const { engine, name, upstream } = options
  const baseline = await startBareProxy(context, { upstream, allowH2: false })
  const funded = await createFundedAccount(context, await createDatabase(context, engine))
  const candidate = await startGateway(context, funded, {
    ...{ name: 'gateway', upstreamUrl: `${upstream}/v1`, profile: profileFolder(context, name) },
  })
  const result = await use({ baseline, candidate })
  await stopSides(context, [baseline, candidate])
  await funded.rig.close()
  return result
}

/** Hands over the baseline and one that books whole answers on a new database, and stops them. */
export async function withBookingProxy<Result>(
  context: BenchContext,
  { engine, upstream }: { readonly engine: BenchEngine; readonly upstream: string },
  use: (sides: PairedSides) => Promise<Result>,
): Promise<Result> {
  const { rig, keyId } = await createFundedAccount(context, await createDatabase(context, engine))
  const proxy = { upstream, allowH2: false }
  const baseline = await startBareProxy(context, proxy)
  const candidate = await startBareProxy(context, { ...proxy, books: { place: rig.place, keyId } })
  const result = await use({ baseline, candidate })
  await stopSides(context, [baseline, candidate])
  await rig.close()
  return result
}

export async function stopSides({ children }: BenchContext, sides: readonly Side[]): Promise<void> {
  const processes = sides.flatMap((side) => side.processes)
  await Promise.all(processes.map((child) => children.stop(child)))
}
