/** One deposit, claimed by many at the same time. */
import { describe, expect, test } from 'vitest'
import { depositSettings } from '../../packages/server/testing/deposit-gateway.ts'
import { hasEvm, startEvmChain, usdg } from '../../packages/server/testing/evm-chain.ts'
import { openGatewayProcesses } from '../../packages/server/testing/gateway-process.ts'
import { findPostgres } from '../../packages/server/testing/test-database.ts'

interface Place {
  readonly chains: readonly { readonly address: `0x${string}` }[]
}

const CREDITS_PER_USD = 1_000n * 1_000_000_000n

// B132
describe.skipIf(!hasEvm() || findPostgres() === null)('several processes', () => {
  test('credit one deposit once for 200 claims on three of them at the same time', async () => {
    const chain = await startEvmChain()
    const processes = await openGatewayProcesses({
      ...{ engine: 'postgres', upstreamUrl: 'http://127.0.0.1:9/v1', credits: '0' },
      ...depositSettings(chain),
    })
    const nodes = await Promise.all([processes.start(), processes.start(), processes.start()])
    const place = (await (await nodes[0].fetch('/deposits/address')).json()) as Place
    const hash = await chain.payToken(place.chains[0]?.address ?? '0x', usdg(25))
    await chain.finalise()
    const spellings = [hash, hash.slice(2), hash.toUpperCase().replace('0X', '0x')]
    const claim = (at: number): Promise<Response> =>
      nodes[at % 3]!.fetch('/deposits/claim', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ txHash: spellings[at % 3], asset: 'USDG', chainId: 4663 }),
      })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => claim(at)))
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { id: string; credited: boolean }[]
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1)
    expect(bodies.some(({ credited }) => credited)).toBe(true)
    // A process that has not seen the newest final block yet answers pending; asked again, each says the same.
    for (const at of [0, 1, 2]) {
      await expect.poll(async () => ((await (await claim(at)).json()) as { credited: boolean }).credited).toBe(true)
    }
    expect(await processes.balance()).toEqual({ posted: 25n * CREDITS_PER_USD, held: 0n })
    await processes.stop()
    await chain.stop()
  })
})
