/** A long video through a gateway that is a process of its own: it is passed on piece by piece. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fileBytes, startStubVideoUpstream } from '../../packages/server/testing/stub-video-upstream.ts'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import { openRig } from '../../proof/rig/gateway-rig.ts'
import { VIDEO_MODEL } from '../video-gateway.ts'

const MIB = 1024 * 1024
const FILE_BYTES = 500 * MIB
/** Room for what a process that moves bytes has in flight, and what its collector has not looked at yet. */
const GROWTH_MAX = 120 * MIB

function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1024
}

test.skipIf(process.platform !== 'linux')(
  '500 MB stream through with flat memory, and Range is obeyed',
  async () => {
    const upstream = await startStubVideoUpstream()
    upstream.fileBytes = FILE_BYTES
    const rig = await openRig({ engine: 'sqlite', postgresUrl: null, upstreamUrl: upstream.url })
    const owner = await rig.createAccount('videos', 10_000n)
    const { rawKey } = await rig.createKey(owner)
    const port = await findFreePort()
    const gateway = await rig.start(port)
    const call = (path: string, headers: Record<string, string> = {}, body?: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/api/v1/videos${path}`, {
        headers: { authorization: `Bearer ${rawKey}`, ...headers },
        ...(body === undefined ? {} : { method: 'POST', body }),
      })
    const request = JSON.stringify({ model: VIDEO_MODEL, prompt: 'A long boat.', duration: 4 })
    const submitted = await call('/generations', { 'content-type': 'application/json' }, request)
    const { id } = (await submitted.json()) as { readonly id: string }
    upstream.complete(upstream.jobs[0], '0.2')
    const part = await call(`/${id}/content`, { range: `bytes=${FILE_BYTES - 1_000}-` })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes ${FILE_BYTES - 1_000}-${FILE_BYTES - 1}/${FILE_BYTES}`,
    ])
    expect(Buffer.from(await part.arrayBuffer()).equals(fileBytes(FILE_BYTES - 1_000, FILE_BYTES - 1))).toBe(true)
    const before = residentBytes(gateway.pid)
    const whole = await call(`/${id}/content`)
    expect(whole.headers.get('content-length')).toBe(String(FILE_BYTES))
    let bytes = 0
    let most = before
    for await (const piece of whole.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (bytes % (4 * MIB) < piece.length) most = Math.max(most, residentBytes(gateway.pid))
    }
    console.info(`resident: ${Math.round(before / MIB)} MiB before, ${Math.round(most / MIB)} MiB at most`)
    expect(bytes).toBe(FILE_BYTES)
    expect(most - before).toBeLessThan(GROWTH_MAX)
    gateway.signal('SIGTERM')
    expect((await gateway.exited).code).toBe(0)
    await rig.close()
    await upstream.close()
  },
  120_000,
)
