/** Two gateways for the clients: one on the sandbox, one on an upstream that plays what a script says. */
import { nanocreditsOf, NANOCREDITS_PER_CREDIT } from '@svc/contract'
import type { ConfigFile } from '../../packages/server/src/config/config-file.ts'
import { systemClock } from '../../packages/server/src/platform/runtime/clock.ts'
import { openBooks } from '../../packages/server/testing/gateway-books.ts'
import { openGatewayRig, upstreamEnvironment, wideLimits } from '../../packages/server/testing/gateway-rig.ts'
import { makeStorage } from '../rig/storage.ts'
import { PLAYED_MODEL } from './played-model.ts'
import { type PlayedUpstream, startPlayedUpstream } from './played-upstream.ts'

const CREDITS = nanocreditsOf(1_000_000n * NANOCREDITS_PER_CREDIT)

export interface GatewayPlace {
  /** Ends in `/api`. */
  readonly baseUrl: string
  readonly key: string
  close(): Promise<void>
}

export interface ClientStage {
  readonly sandbox: GatewayPlace
  readonly played: GatewayPlace
  readonly upstream: PlayedUpstream
  close(): Promise<void>
}

async function startGateway(file: ConfigFile, env: Readonly<Record<string, string>>): Promise<GatewayPlace> {
  const rig = await openGatewayRig({
    database: await makeStorage({ engine: 'sqlite', postgresUrl: null }),
    file: { ...file, limits: wideLimits },
    env: { SVC_PORT: '0', SVC_LOG_LEVEL: 'error', ...env },
  })
  const { gateway, config, origin } = await rig.startLocal({ clock: systemClock, onLine: () => undefined })
  const books = openBooks(gateway, { peppers: config.peppers, gatewayLimits: config.limits })
  const { rawKey } = await books.createKey(await books.createAccount('Clients', CREDITS))
  return {
    ...{ baseUrl: `${origin}/api`, key: rawKey },
    async close() {
      const breaches = await books.breaches()
      await gateway.stop()
      await rig.close()
      if (breaches.length > 0) throw new Error(`the books are broken: ${JSON.stringify(breaches)}`)
    },
  }
}

/** Starts both; `close` audits their books and removes everything. */
export async function openClientStage(): Promise<ClientStage> {
  const sandbox = await startGateway({}, {})
  const upstream = await startPlayedUpstream()
  const price = { input: '1', output: '1' }
  const prices = Object.fromEntries([PLAYED_MODEL, ...upstream.otherModels].map((id) => [id, price]))
  const played = await startGateway({ prices }, upstreamEnvironment(upstream.url, 'openai-compatible'))
  return {
    ...{ sandbox, played, upstream },
    async close() {
      await played.close()
      await upstream.close()
      await sandbox.close()
    },
  }
}
