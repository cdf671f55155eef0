import { expect, test, vi } from 'vitest'
import type { SpeechJob } from '../speech/speech-job.ts'
import { createStudio, type StudioOptions } from './studio.ts'

/** A thread that does what the text of its job says. */
const script = new URL(
  'data:text/javascript,' +
    encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', ({ text }) => {
        if (text === 'throw') throw new Error('broken')
        if (text === 'exit') process.exit(3)
        if (text === 'hang') return
        const refused = { kind: 'refused', status: 400, errorType: 'a', message: 'b' }
        if (text === 'refuse') return parentPort.postMessage(refused)
        parentPort.postMessage({ kind: 'progress', percent: 50 })
        parentPort.postMessage({ kind: 'done', result: { kind: 'files', files: [new TextEncoder().encode(text)] } })
      })`),
)

const job = (text: string): SpeechJob => ({ kind: 'speech', text, voice: 'nova', speed: 1, format: 'wav' })

function open(options: Partial<StudioOptions> = {}) {
  return createStudio({ waitingMax: 3, limitMs: 30_000, idleMs: 60_000, script, ...options })
}

test('jobs are done in turn by one thread, which reports how far it is', async () => {
  const studio = open()
  expect(studio.isAwake()).toBe(false)
  const seen: number[] = []
  const results = await Promise.all([
    studio.run(job('one'), { onProgress: (percent) => seen.push(percent) }),
    studio.run(job('two')),
  ])
  const texts = results.map((result) => (result.kind === 'files' ? new TextDecoder().decode(result.files[0]) : ''))
  expect([texts, seen, studio.isAwake()]).toEqual([['one', 'two'], [50], true])
  await studio.close()
})

test('a thread without work ends, and another begins with the next job', async () => {
  const studio = open({ idleMs: 20 })
  await studio.run(job('one'))
  await vi.waitFor(() => expect(studio.isAwake()).toBe(false), { timeout: 30_000, interval: 20 })
  expect(await studio.run(job('two'))).toMatchObject({ kind: 'files' })
  await studio.close()
})

test('too many that wait are refused at once', async () => {
  const studio = open({ waitingMax: 1 })
  const running = studio.run(job('hang')).catch((error: unknown) => error)
  const waiting = studio.run(job('one')).catch((error: unknown) => error)
  await expect(studio.run(job('two'))).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
  await studio.close()
  expect(await running).toMatchObject({ status: 503 })
  expect(await waiting).toMatchObject({ status: 503 })
})

test.each(['throw', 'exit'])('a thread that breaks by %s costs its own job alone', async (text) => {
  const studio = open()
  const broken = studio.run(job(text)).catch((error: unknown) => error)
  const next = studio.run(job('one'))
  expect(await broken).toMatchObject({ status: 500, errorType: 'server' })
  expect(await next).toMatchObject({ kind: 'files' })
  await studio.close()
})

test('a job that takes too long ends, and so does one that is cancelled', async () => {
  const studio = open({ limitMs: 50 })
  await expect(studio.run(job('hang'))).rejects.toMatchObject({ status: 504 })
  const patient = open()
  const abandon = new AbortController()
  const given = patient.run(job('hang'), { signal: abandon.signal })
  const waiting = patient.run(job('one'))
  abandon.abort()
  await expect(given).rejects.toMatchObject({ status: 499 })
  expect(await waiting).toMatchObject({ kind: 'files' })
  await Promise.all([studio.close(), patient.close()])
})

test('what cannot be made is refused in the words of the thread', async () => {
  const studio = open()
  await expect(studio.run(job('refuse'))).rejects.toMatchObject({ status: 400, errorType: 'a', message: 'b' })
  await studio.close()
  await expect(studio.run(job('one'))).rejects.toMatchObject({ status: 503 })
})
