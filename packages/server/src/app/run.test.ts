import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment } from '../../testing/child-environment.ts'
import { findProgram } from '../../testing/find-program.ts'
import { openGatewayProcesses } from '../../testing/gateway-process.ts'
import { beginStream, chunkText, sendEvent, startStubUpstream } from '../../testing/stub-upstream.ts'

let workingDir = ''
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-run-'))
})
afterEach(() => rmSync(workingDir, { recursive: true }))

interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

async function runProcess(program: 'main' | 'admin', words: readonly string[], env: object): Promise<Ended> {
  const path = await findProgram(program)
  return new Promise((resolve) => {
    const options = { cwd: workingDir, env: { ...childEnvironment(), SVC_HOST: '127.0.0.1', SVC_PORT: '0', ...env } }
    execFile(process.execPath, [path, ...words], options, (error, output, errors) =>
      resolve({ code: Number(error?.code ?? 0), output, errors }),
    )
  })
}

function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' && address !== null ? address.port : 0 })
    })
  })
}

describe('a start that cannot be', () => {
  /** The sentence on standard error, once the rest is as it should be; otherwise all of the process's end. */
  function sentenceOf({ code, output, errors }: Ended): string {
    const [, sentence] = /^svc: ([^\n]+\.)\n$/.exec(errors) ?? []
    return code === 1 && !output.includes('stack') && sentence !== undefined
      ? sentence
      : JSON.stringify({ code, output, errors })
  }

  test.each(['SVC_PORT', 'SVC_ADMIN_PORT'])('for a taken port names it and %s', async (name) => {
    const { server, port } = await listen()
    const ended = await runProcess('main', [], { [name]: String(port) })
    server.close()
    expect(sentenceOf(ended)).toBe(`Port ${port} is taken. Stop the other server, or choose another port with ${name}.`)
  })

  test('for a database that is away names its address without the password', async () => {
    const { server, port } = await listen()
    await new Promise((resolve) => server.close(resolve))
    const env = { SVC_DATABASE_URL: `postgres://me:canary@localhost:${port}/books?password=canary` }
    const ended = await runProcess('main', [], { ...env, SVC_DATABASE_WAIT_SECONDS: '1' })
    const start = `The PostgreSQL database postgres://me@localhost:${port}/books cannot be used: nothing listens there`
    expect(sentenceOf(ended)).toContain(start)
    expect(ended.output).toContain(
      `Waiting up to 1 s for the PostgreSQL database postgres://me@localhost:${port}/books`,
    )
    expect(ended.errors + ended.output).not.toContain('canary')
    const admin = await runProcess('admin', ['account', 'list'], env)
    expect(admin.code).toBe(1)
    expect(admin.errors).toContain(`error: ${start}`)
  })

  test('for a data folder that is a file names it', async () => {
    writeFileSync(join(workingDir, 'a-file'), '')
    const path = join(workingDir, 'a-file')
    expect(sentenceOf(await runProcess('main', [], { SVC_DATA_DIR: path }))).toBe(
      `${path} cannot be used: it is no folder (EEXIST). Mend that, or choose another data folder with SVC_DATA_DIR.`,
    )
  })

  // There the system answers of a folder that its parent is missing, for ever.
  test.skipIf(process.platform !== 'linux')(
    'for a data folder below /proc ends at once',
    async () => {
      const ended = await runProcess('main', [], { SVC_DATA_DIR: '/proc/svc/data' })
      expect(sentenceOf(ended)).toContain('/proc/svc cannot be used: its path, or a symbolic link in it, leads nowhere')
    },
    20_000,
  )

  test('for an address of another machine names it', async () => {
    const ended = await runProcess('main', [], { SVC_ADMIN_HOST: '192.0.2.1', SVC_ADMIN_PORT: '1' })
    expect(sentenceOf(ended)).toBe('192.0.2.1 is no address of this machine. Give one that is in SVC_ADMIN_HOST.')
  })
})

test('a stop says what it waits for, and a second signal ends it at once', async () => {
  const stub = await startStubUpstream()
  stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ role: 'assistant', content: 'Hello' }))
  }
  const processes = await openGatewayProcesses({ engine: 'sqlite', upstreamUrl: stub.url, credits: '1000' })
  const gateway = await processes.start()
  const answer = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${processes.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-gpt', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(answer.status).toBe(200)
  gateway.signal('SIGINT')
  // The same press, passed on by a launcher: it ends nothing.
  gateway.signal('SIGINT')
  await expect
    .poll(() => gateway.output())
    .toContain('stopping: waits up to 30 s for 1 open request; a second Ctrl-C ends at once')
  const exited = gateway.exited.then((code) => `ended with ${code}`)
  await expect
    .poll(
      () => {
        gateway.signal('SIGINT')
        return Promise.race([exited, Promise.resolve('still there')])
      },
      { timeout: 5_000 },
    )
    .toBe('ended with 1')
  await answer.body?.cancel().catch(() => undefined)
  // The next start settles what the second signal has left open.
  const next = await processes.start()
  await processes.settled()
  await processes.stop()
  expect(next.output()).toContain('"msg":"stopped"')
  await stub.close()
}, 180_000)
