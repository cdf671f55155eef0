/** The embedded database loses its writer: the process says so and ends, so that whatever watches it starts another. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openGatewayProcesses } from '../packages/server/testing/gateway-process.ts'
import { beginStream, chunkText, sendEvent, startStubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { openStream, question } from './open-stream.ts'

test('a gateway whose writer thread dies ends with code 1, and the next one settles what was open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-writer-loss-'))
  const mark = join(folder, 'die')
  const preload = join(folder, 'preload.mjs')
  // Runs in every thread of the process; the writer ends itself once the mark is there.
  await writeFile(
    preload,
    `import { existsSync } from 'node:fs'
     import { workerData } from 'node:worker_threads'
     if (typeof workerData?.path === 'string' && workerData.path.endsWith('svc.db')) {
       setInterval(() => existsSync(${JSON.stringify(mark)}) && process.exit(3), 20).unref()
     }`,
  )
  const stub = await startStubUpstream()
  stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ role: 'assistant', content: 'x'.repeat(400) }))
  }
  const processes = await openGatewayProcesses({
    engine: 'sqlite',
    upstreamUrl: stub.url,
    credits: '1000',
    env: { NODE_OPTIONS: `--import=${preload}` },
    file: { limits: { journal_ms: 100 } },
  })
  const first = await processes.start()
  const stream = await openStream(first, question('svc-gpt'))
  await writeFile(mark, '')
  expect(await first.exited).toBe(1)
  stream.leave()
  expect(first.output()).toContain('The database takes no more writes.')
  await rm(mark)
  await processes.start()
  await processes.settled()
  await processes.stop()
  await stub.close()
  await rm(folder, { recursive: true })
})
