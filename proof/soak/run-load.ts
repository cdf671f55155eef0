/** A steady load for a while: memory and handles must not grow, and every answer must come. */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, askOnce } from './ask-once.ts'
import { type Sample, slopeOf } from './measure-process.ts'
import { openSoakStage, type SoakStage, type StageOptions } from './soak-stage.ts'

export interface LoadOptions extends StageOptions {
  readonly seconds: number
  /** Requests a second; every second one is a stream. */
  readonly rate: number
  readonly onSample?: (sample: Sample, done: number) => void
}

export interface LoadReport {
  readonly samples: readonly Sample[]
  readonly answers: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Requests that were not sent, since too many waited: the machine is too slow for the rate. */
  readonly skipped: number
  /** Growth after the warm-up, in bytes and handles a minute; of the heap, what is left after collections. */
  readonly rssPerMinute: number
  readonly keptPerMinute: number
  readonly handlesPerMinute: number
  readonly faults: readonly string[]
}

const TICK_MS = 20
const OPEN_MAX = 2_000
const SAMPLES_MAX = 60
/** One of so many samples is taken after a collection. */
const COLLECT_EVERY = 6
/** The first part of a run does not count for the growth: caches and the heap find their size. */
const WARM_UP = 0.3

interface Running {
  readonly answers: Answer[]
  readonly open: Set<Promise<void>>
  sent: number
  skipped: number
}

function sendDue(stage: SoakStage, agent: Agent, running: Running, due: number): void {
  while (running.sent + running.skipped < due) {
    if (running.open.size >= OPEN_MAX) {
      running.skipped++
      continue
    }
    const { port, rawKey } = stage
    const stream = running.sent++ % 2 === 1
    const asked = askOnce({ port, rawKey, agent, stream }).then((answer) => {
      running.answers.push(answer)
      running.open.delete(asked)
    })
    running.open.add(asked)
  }
}

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function summarise(samples: readonly Sample[], running: Running, faults: readonly string[]): LoadReport {
  const { answers, skipped } = running
  const sorted = answers.map(({ ms }) => ms).toSorted((left, right) => left - right)
  const settled = samples.filter(({ atSeconds }) => atSeconds >= WARM_UP * (samples.at(-1)?.atSeconds ?? 0))
  const collected = settled.filter(({ isCollected }) => isCollected)
  const perMinute = (points: readonly Sample[], value: (sample: Sample) => number): number =>
    slopeOf(points.map((sample) => [sample.atSeconds / 60, value(sample)]))
  const bad = answers.filter(({ end }) => end !== 'whole')
  return {
    ...{ samples, answers: answers.length, skipped },
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    rssPerMinute: perMinute(settled, ({ rss }) => rss),
    keptPerMinute: perMinute(collected, ({ heapUsed }) => heapUsed),
    handlesPerMinute: perMinute(settled, ({ handles }) => handles),
    faults: [
      ...bad.map(
        ({ end, status, error, ms }) => `an answer was ${end} after ${ms.toFixed(0)} ms with ${error ?? status}`,
      ),
      ...faults,
    ],
  }
}

function takeSample({ meter }: SoakStage): Promise<Sample> {
  return meter.samples.length % COLLECT_EVERY === 0 ? meter.sampleCollected() : meter.sample()
}

/** Runs it. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const stage = await openSoakStage(options)
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 })
  const running: Running = { answers: [], open: new Set(), sent: 0, skipped: 0 }
  const startedAt = performance.now()
  const everyMs = Math.max(500, (options.seconds * 1_000) / SAMPLES_MAX)
  let nextSampleMs = 0
  for (let elapsedMs = 0; elapsedMs < options.seconds * 1_000; elapsedMs = performance.now() - startedAt) {
    sendDue(stage, agent, running, Math.floor((elapsedMs / 1_000) * options.rate))
    if (elapsedMs >= nextSampleMs) {
      nextSampleMs += everyMs
      const sample = await takeSample(stage)
      options.onSample?.(sample, running.answers.length)
    }
    await wait(TICK_MS)
  }
  await Promise.all(running.open)
  const last = await stage.meter.sampleCollected()
  options.onSample?.(last, running.answers.length)
  agent.destroy()
  const faults = await stage.end()
  return summarise(stage.meter.samples, running, faults)
}
