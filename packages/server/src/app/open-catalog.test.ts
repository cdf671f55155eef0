import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../config/load-config.ts'
import { openCatalog, type OpenCatalog } from './open-catalog.ts'
import { systemClock } from '../platform/runtime/clock.ts'
import { createLogger } from '../platform/runtime/log.ts'
import { upstreamFailure } from '../upstreams/upstream-failure.ts'

let workingDir = ''
let logged: string[] = []
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-catalog-'))
  logged = []
})
afterEach(() => rmSync(workingDir, { recursive: true }))

function open(env: Record<string, string> = {}): Promise<OpenCatalog> {
  const { config } = loadConfig({
    env: { SVC_UPSTREAM: 'openai-compatible', SVC_UPSTREAM_URL: 'http://127.0.0.1:8080/v1', ...env },
    workingDir,
  })
  return openCatalog(config, systemClock, createLogger({ level: 'warn', sink: { write: (line) => logged.push(line) } }))
}

const list = (...ids: string[]) => ({ data: ids.map((id) => ({ id })) })

test('models without a price are named once, with what to do', async () => {
  const catalog = await open()
  await catalog.refresh(() => Promise.resolve(list('a', 'b', 'c', 'd')))
  await catalog.refresh(() => Promise.resolve(list('a', 'b', 'c', 'd')))
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain(
    '4 models of default (http://127.0.0.1:8080/v1) have no price and are not sold (a, b, c, …): ' +
      'set SVC_DEFAULT_PRICE, or prices in svc.config.json.',
  )
})

test('media models without a price need media_prices, whatever the default price is', async () => {
  const speech = { id: 'tts', architecture: { output_modalities: ['speech'] } }
  const catalog = await open({ SVC_DEFAULT_PRICE: '1/2' })
  await catalog.refresh(() => Promise.resolve({ data: [...list('a').data, speech] }))
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain(
    '1 media model of default (http://127.0.0.1:8080/v1) has no price and is not sold (tts): ' +
      'SVC_DEFAULT_PRICE is not for media, so set media_prices in svc.config.json.',
  )
  const without = await open()
  await without.refresh(() => Promise.resolve({ data: [...list('a').data, speech] }))
  expect(logged.slice(1)).toEqual([
    expect.stringContaining('(a): set SVC_DEFAULT_PRICE, or prices in'),
    expect.stringContaining('(tts): SVC_DEFAULT_PRICE is not for media, so set media_prices in'),
  ])
})

test('nothing is said where the default price covers all', async () => {
  const catalog = await open({ SVC_DEFAULT_PRICE: '0/0' })
  await catalog.refresh(() => Promise.resolve(list('a')))
  expect(logged).toEqual([])
})

test('an answer that is no list names the address and asks for its version part, unless it has one', async () => {
  const catalog = await open({ SVC_UPSTREAM_URL: 'http://127.0.0.1:8080' })
  await catalog.refresh(() => Promise.resolve(null))
  expect(logged[0]).toContain('no list yet: what the upstream default (http://127.0.0.1:8080) answered')
  expect(logged[0]).toContain('such as /v1')
  await (await open()).refresh(() => Promise.resolve(null))
  expect(logged[1]).not.toContain('version part')
})

test('a list that was there before is kept, and the log says so', async () => {
  const catalog = await open({ SVC_DEFAULT_PRICE: '0/0' })
  await catalog.refresh(() => Promise.resolve(list('a')))
  await catalog.refresh(() => Promise.resolve(list()))
  expect(logged[0]).toContain('catalog kept: the upstream default (http://127.0.0.1:8080/v1) listed no model')
})

test('a dead upstream is one line without a stack or a sentence for clients', async () => {
  const catalog = await open()
  const failure = upstreamFailure('unreachable', { upstream: 'default', upstreamCodes: ['ECONNREFUSED'] })
  await catalog.refresh(() => Promise.reject(failure))
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    level: 'warn',
    failure: 'unreachable',
    upstreamCodes: ['ECONNREFUSED'],
    msg: 'no list yet: the upstream default (http://127.0.0.1:8080/v1) did not answer',
  })
  expect(logged[0]).not.toMatch(/stack|charged/)
})
