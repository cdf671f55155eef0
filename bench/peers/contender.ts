/** What is measured beside the others: this gateway, or a peer. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { nanocreditsOf } from '@svc/contract'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import type { BenchContext } from '../bench-context.ts'
import { type BenchEngine, createDatabase, ENGINE_NAMES, stopSides } from '../bench-rig.ts'
import { createFundedAccount, startGateway } from '../gateway-process.ts'
import { type Side, usageOf } from '../side.ts'
import type { Peer } from './peer.ts'
import { spawnPeer, stopPeer, untilReady } from './spawn-peer.ts'

export interface StartedContender {
  readonly side: Side
  /** From its start until it takes requests. */
  readonly startMs: number
  readonly startCpuMs: number
  stop(): Promise<void>
}

/** Something that can be started before the upstream, again and again, with what it has written. */
export interface Contender {
  readonly name: string
  readonly version: string
  readonly accounting: string
  start(): Promise<StartedContender>
}

/** Never used up by a run. */
const BUDGET = nanocreditsOf(1_000_000n * 1_000_000_000n)

async function started(side: Side, sinceMs: number, stop: () => Promise<void>): Promise<StartedContender> {
  const { cpuMs } = await usageOf(side)
  return { side, startMs: performance.now() - sinceMs, startCpuMs: cpuMs, stop }
}

/** This gateway, with balances and budgets. @param version its commit. */
export async function openOwn(
  context: BenchContext,
  { engine, upstream, version }: { readonly engine: BenchEngine; readonly upstream: string; readonly version: string },
): Promise<Contender> {
  const funded = await createFundedAccount(context, await createDatabase(context, engine), BUDGET)
  return {
    ...{ name: `SVC, ${ENGINE_NAMES[engine]}`, version },
    accounting: 'balances, budgets, keys, records and a signed log, durable before the last byte',
    async start() {
      const sinceMs = performance.now()
      const side = await startGateway(context, funded, {
        ...{ name: 'gateway', upstreamUrl: `${upstream}/v1`, profile: null },
      })
      return started(side, sinceMs, () => stopSides(context, [side]))
    },
  }
}

/**
 * A peer, installed below a folder.
 *
 * @throws {PeerMissingError} where it cannot be measured here.
 */
export async function openPeer(
  context: BenchContext,
  peer: Peer,
  { folder, upstream }: { readonly folder: string; readonly upstream: string },
): Promise<Contender> {
  const programFolder = join(folder, peer.name.toLowerCase().replaceAll(/\W+/g, '-'))
  const version = await peer.install(programFolder)
  const dataFolder = context.children.createFolder()
  const place = { programFolder, dataFolder: join(dataFolder, 'data'), port: await findFreePort(), upstream }
  mkdirSync(place.dataFolder)
  const program = await peer.prepare(context, place)
  let isSetUp = false
  return {
    ...{ name: peer.name, version, accounting: peer.accounting },
    async start() {
      const sinceMs = performance.now()
      const child = spawnPeer(context, { ...program, folder: place.dataFolder })
      await untilReady(child, `${program.target.origin}${program.readyPath}`, place.dataFolder)
      const side = { name: peer.name, targets: [program.target], processes: [child], withDescendants: true }
      const contender = await started(side, sinceMs, () => stopPeer(child))
      if (!isSetUp) await program.setUp?.()
      isSetUp = true
      return contender
    },
  }
}
