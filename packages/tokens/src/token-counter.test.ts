import { afterEach, describe, expect, test } from 'vitest'
import { countTokens, splitIntoTokens } from './count-tokens.ts'
import { createTokenCounter, type TokenCounter, type TokenCounterOptions } from './token-counter.ts'

const open: TokenCounter[] = []

function counterWith(options?: TokenCounterOptions): TokenCounter {
  const counter = createTokenCounter(options)
  open.push(counter)
  return counter
}

function script(body: string): URL {
  return new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'\n${body}`)}`,
  )
}

const READY = `parentPort.postMessage({ kind: 'ready' })`

afterEach(async () => {
  await Promise.all(open.splice(0).map((counter) => counter.close()))
})

describe('the token counter', () => {
  test('counts and splits as the functions do', async () => {
    const counter = counterWith()
    const text = 'Grüße aus dem Sandkasten 🎉'
    expect(await counter.count(text)).toBe(countTokens(text))
    expect(await counter.split(text)).toEqual(splitIntoTokens(text))
  })

  test('gives each of many parallel texts its own count', async () => {
    const counter = counterWith()
    const texts = Array.from({ length: 300 }, (_, index) => 'word '.repeat(index))
    expect(await Promise.all(texts.map((text) => counter.count(text)))).toEqual(texts.map((text) => countTokens(text)))
  })

  test('counts 256 KB of one letter', async () => {
    expect(await counterWith({ limitMs: 60_000 }).count('a'.repeat(262_144))).toBe(32_768)
  })

  test('refuses a text above the limit in bytes, also when it has fewer characters', async () => {
    const counter = counterWith()
    await expect(counter.count('a'.repeat(262_145))).rejects.toMatchObject({ failure: 'too_large' })
    await expect(counter.count('é'.repeat(131_073))).rejects.toMatchObject({ failure: 'too_large' })
  })

  test('refuses when too many texts wait', async () => {
    const counter = counterWith({ maxWaiting: 2, script: script(READY) })
    const waiting = [counter.count('a'), counter.count('b')]
    const settled = Promise.allSettled(waiting)
    await expect(counter.count('c')).rejects.toMatchObject({ failure: 'queue_full' })
    await counter.close()
    for (const result of await settled)
      expect(result).toMatchObject({ status: 'rejected', reason: { failure: 'closed' } })
  })

  test('a count that takes too long is refused, and the next one gets a new worker', async () => {
    const answerUnlessSlow = `${READY}
      parentPort.on('message', (jobs) => {
        if (jobs.some((job) => job.text === 'slow')) for (;;);
        parentPort.postMessage({ kind: 'done', results: jobs.map(() => 7) })
      })`
    const counter = counterWith({ limitMs: 50, script: script(answerUnlessSlow) })
    await expect(counter.count('slow')).rejects.toMatchObject({ failure: 'timeout' })
    expect(await counter.count('quick')).toBe(7)
  })

  test('a worker that breaks refuses what it held, and the next text gets a new worker', async () => {
    const breakOnBad = `${READY}
      parentPort.on('message', (jobs) => {
        if (jobs.some((job) => job.text === 'bad')) throw new Error('broken')
        parentPort.postMessage({ kind: 'done', results: jobs.map(() => 7) })
      })`
    const counter = counterWith({ script: script(breakOnBad) })
    await expect(counter.count('bad')).rejects.toMatchObject({ failure: 'worker_failed' })
    expect(await counter.count('good')).toBe(7)
  })

  test('a worker that cannot start refuses everything instead of starting for ever', async () => {
    const counter = counterWith({ script: script(`throw new Error('no tokenizer')`) })
    const results = await Promise.allSettled([counter.count('a'), counter.count('b')])
    for (const result of results) expect(result).toMatchObject({ reason: { failure: 'worker_failed' } })
  })

  test('a closed counter refuses', async () => {
    const counter = counterWith()
    await counter.close()
    await expect(counter.count('a')).rejects.toMatchObject({ failure: 'closed' })
  })
})
