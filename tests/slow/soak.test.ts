/** A short load and some open streams. `npm run soak` runs for minutes, and with thousands. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort } from '../../packages/server/testing/free-port.mjs'
import { openRig } from '../../proof/rig/gateway-rig.ts'
import { slopeOf } from '../../proof/soak/measure-process.ts'
import { runLoad } from '../../proof/soak/run-load.ts'
import { runStreams } from '../../proof/soak/run-streams.ts'

const storage = { engine: 'sqlite', postgresUrl: null } as const

test('under a steady load every answer comes, and the audit finds nothing', async () => {
  const report = await runLoad({ ...storage, seconds: 4, rate: 40 })
  expect(report.faults).toEqual([])
  expect(report.answers).toBeGreaterThan(100)
  expect(report.samples.length).toBeGreaterThan(2)
})

test('of many open streams none is cut', async () => {
  const report = await runStreams({ ...storage, streams: 150, seconds: 1 })
  expect(report.faults).toEqual([])
  expect(report.whole).toBe(150)
})

/** The first line that comes for a request. */
async function statusLineOf(socket: Socket): Promise<string> {
  socket.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString('latin1').split('\r\n', 1)[0] ?? ''
}

// Other systems let fewer connections wait than this.
test.runIf(process.platform === 'linux')('connections that come while the gateway is busy wait for it', async () => {
  const rig = await openRig({ ...storage, upstreamUrl: 'http://127.0.0.1:9/v1' })
  const port = await findFreePort()
  const gateway = await rig.start(port)
  gateway.signal('SIGSTOP')
  const sockets = Array.from({ length: 1_000 }, () => connect({ host: '127.0.0.1', port }))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  gateway.signal('SIGCONT')
  const lines = await Promise.all(sockets.map(statusLineOf))
  expect(new Set(lines)).toEqual(new Set(['HTTP/1.1 200 OK']))
  gateway.signal('SIGTERM')
  await gateway.exited
  await rig.close()
})

test('a slope is that of the line through the points', () => {
  expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5 + 2 * x]))).toBeCloseTo(2)
  expect(slopeOf([[1, 1]])).toBe(0)
})
