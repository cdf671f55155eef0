/** `npm run bench -- --peers`: this gateway and those that people would take instead, one after another. */
import { mkdirSync } from 'node:fs'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import type { BenchContext } from '../bench-context.ts'
import { readCommit } from '../machine.ts'
import { HAS_PROC } from '../process-usage.ts'
import { type Contender, openOwn, openPeer } from './contender.ts'
import { litellm } from './litellm.ts'
import { llmGateway } from './llm-gateway.ts'
import { type ContenderFigures, measureContender } from './measure-contender.ts'
import { oneApi } from './one-api.ts'
import { PeerMissingError } from './peer.ts'
import type { Missing } from './peer-table.ts'
import { portkey } from './portkey.ts'

export interface PeerResults {
  readonly measured: readonly ContenderFigures[]
  readonly missing: readonly Missing[]
}

/** Measures all that can be; names the rest. */
export async function runPeers(context: BenchContext): Promise<PeerResults> {
  const { folder, oneApi: oneApiCheckout, llmGateway: llmGatewayCheckout } = context.options.peers ?? NOWHERE
  if (!HAS_PROC) throw new Error('other gateways are measured on Linux alone: their CPU is read from /proc')
  mkdirSync(folder, { recursive: true })
  // The same for all, and at each start of one.
  const port = await findFreePort()
  const upstream = `http://127.0.0.1:${port}`
  const version = readCommit()
  const openers: readonly (readonly [name: string, open: () => Promise<Contender>])[] = [
    ['SVC, embedded', () => openOwn(context, { engine: 'sqlite', upstream, version })],
    ['SVC, PostgreSQL', () => openOwn(context, { engine: 'postgres', upstream, version })],
    ...[portkey, oneApi(oneApiCheckout), llmGateway(llmGatewayCheckout), litellm].map(
      (peer) => [peer.name, () => openPeer(context, peer, { folder, upstream })] as const,
    ),
  ]
  const measured: ContenderFigures[] = []
  const missing: Missing[] = []
  for (const [name, open] of openers) {
    context.say(`peer: ${name}`)
    try {
      measured.push(await measureContender(context, await open(), { port }))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      context.say(`  ${reason}`)
      if (!(error instanceof PeerMissingError) && name.startsWith('SVC')) throw error
      missing.push({ name, reason: reason.split('\n')[0] ?? '' })
    }
    await context.children.clear()
  }
  return { measured, missing }
}

const NOWHERE = { folder: '', oneApi: null, llmGateway: null } as const
