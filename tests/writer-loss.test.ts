/** The embedded database cannot be flushed: the process says so and ends, so that whatever watches it starts one. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openGatewayProcesses } from '../packages/server/testing/gateway-process.ts'
import { beginStream, chunkText, sendEvent, startStubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { openStream, question } from './open-stream.ts'

/** Takes away the file of the log that flushes go to, once `mark` is there: SQLite opens its own with `O_NOFOLLOW`. */
const breakFlushes = (mark: string): string => `
  import { closeSync, existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  const targetOf = (file) => {
    try { return readlinkSync('/proc/self/fd/' + file) } catch { return '' }
  }
  const look = () => {
    if (!existsSync(${JSON.stringify(mark)})) return
    clearInterval(timer)
    const flagsOf = (file) => parseInt(/flags:\\s+(\\d+)/.exec(readFileSync('/proc/self/fdinfo/' + file, 'utf8'))[1], 8)
    for (const file of readdirSync('/proc/self/fd')) {
      if (targetOf(file).endsWith('svc.db-wal') && (flagsOf(file) & 0o400000) === 0) closeSync(Number(file))
    }
  }
  const timer = isMainThread ? setInterval(look, 20).unref() : undefined`

test.skipIf(!existsSync('/proc/self/fd'))(
  'a gateway that cannot flush ends with code 1, and the next one settles what was open',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-writer-loss-'))
    const mark = join(folder, 'die')
    const preload = join(folder, 'preload.mjs')
    await writeFile(preload, breakFlushes(mark))
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
  },
)
