import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startBareProxy } from '../bare-proxy.ts'
import type { BenchContext } from '../bench-context.ts'
import { createDatabase, profileFolder, stopSides } from '../bench-rig.ts'
import { calibrateRate } from '../calibrate.ts'
import { createFundedAccount, type FundedAccount, startGateway } from '../gateway-process.ts'
import { cpuRatio, type PairedSides, resultOf, takePairs } from '../pairs.ts'
import type { StubSettings } from '../program-settings.ts'
import type { Row, RowResult } from '../row.ts'
import { sampleSide, type Side } from '../side.ts'
import { createUpstreamIdentity } from '../upstream-identity.ts'
import { cpuNote } from './billed-request.ts'

const CONNECTIONS = 64
const GAP_MS = 20
const VERSIONS = { http1: 'HTTP/1.1', http2: 'HTTP/2' } as const

type Version = keyof typeof VERSIONS

interface TlsRig {
  readonly origin: string
  /** File of the certificate that both sides trust. */
  readonly trusted: string
  readonly gateways: Readonly<Record<Version, Side>>
}

/** What TLS to the upstream costs, and what HTTP/2 changes: the figures behind `allow_h2`. Stated without goals. */
export const upstreamTls: Row = {
  number: 9,
  title: 'TLS to the upstream, HTTP/1.1 and HTTP/2',
  async measure(context) {
    const folder = context.children.createFolder()
    const identity = createUpstreamIdentity(Date.now())
    const trusted = join(folder, 'upstream.pem')
    await writeFile(trusted, identity.cert)
    const { chunks } = context.options.scale
    const settings: StubSettings = { chunks, gapMs: GAP_MS, identity }
    const { port } = await context.children.start('stub-upstream', settings)
    const origin = `https://127.0.0.1:${port}`
    const open = async (): Promise<FundedAccount> =>
      createFundedAccount(context, await createDatabase(context, 'sqlite'))
    const accounts = [await open(), await open()] as const
    const start = (funded: FundedAccount, version: Version): Promise<Side> =>
      startGateway(context, funded, {
        ...{ name: `gateway with ${VERSIONS[version]}`, upstreamUrl: `${origin}/v1`, trusted },
        ...{ allowH2: version === 'http2', profile: profileFolder(context, `row-9-${version}`) },
      })
    const gateways = { http1: await start(accounts[0], 'http1'), http2: await start(accounts[1], 'http2') }
    const rig: TlsRig = { origin, trusted, gateways }
    const results = [
      await againstBare(context, rig, 'http1'),
      await againstBare(context, rig, 'http2'),
      await wholeByVersion(context, rig),
      await streamedByVersion(context, rig),
    ]
    await stopSides(context, Object.values(gateways))
    for (const { rig } of accounts) await rig.close()
    context.children.removeFolder(folder)
    return results
  },
}

async function againstBare(context: BenchContext, rig: TlsRig, version: Version): Promise<RowResult> {
  const proxy = { upstream: rig.origin, allowH2: version === 'http2' }
  const baseline = await startBareProxy(context, proxy, { NODE_EXTRA_CA_CERTS: rig.trusted })
  const sides = { baseline, candidate: rig.gateways[version] }
  const result = await measureWhole(context, sides, `CPU per billed request, embedded, TLS with ${VERSIONS[version]}`)
  await stopSides(context, [baseline])
  return result
}

function wholeByVersion(context: BenchContext, { gateways }: TlsRig): Promise<RowResult> {
  const sides = { baseline: gateways.http1, candidate: gateways.http2 }
  return measureWhole(context, sides, 'CPU per billed request, HTTP/2 against HTTP/1.1 to the upstream')
}

async function measureWhole(context: BenchContext, sides: PairedSides, figure: string): Promise<RowResult> {
  const rate = await calibrateRate(context, sides, CONNECTIONS)
  const { statedSeconds: seconds } = context.options
  const pairs = await takePairs(context, sides, { kind: 'whole', connections: CONNECTIONS, seconds, rate })
  return resultOf(pairs, {
    ...{ row: 9, unit: '×', goal: null, valueOf: cpuRatio, figure },
    notesOf: (median) => [cpuNote(median), `at ${rate}/s`],
  })
}

async function streamedByVersion(context: BenchContext, { gateways }: TlsRig): Promise<RowResult> {
  const { streams, chunks } = context.options.scale
  const sides = { baseline: gateways.http1, candidate: gateways.http2 }
  const { statedSeconds: seconds } = context.options
  const order = { kind: 'streams', connections: streams, seconds, spreadMs: chunks * GAP_MS } as const
  for (const side of [sides.baseline, sides.candidate]) await sampleSide(context, side, order)
  return resultOf(await takePairs(context, sides, order), {
    ...{ row: 9, unit: '×', goal: null, valueOf: cpuRatio },
    figure: `CPU per streamed chunk, ${streams} streams, HTTP/2 against HTTP/1.1 to the upstream`,
    notesOf: (median) => {
      const [first, second] = [median(({ baseline }) => baseline.cpuUs), median(({ candidate }) => candidate.cpuUs)]
      return [`${(second / chunks).toFixed(1)} µs against ${(first / chunks).toFixed(1)} µs per chunk`]
    },
  })
}
