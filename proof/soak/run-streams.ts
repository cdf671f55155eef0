/** Thousands of streams at once, for a while: what each costs in memory, and that none is cut. */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../rig/until.ts'
import { type Answer, askOnce } from './ask-once.ts'
import type { Sample } from './measure-process.ts'
import { openSoakStage, type SoakStage, type StageOptions } from './soak-stage.ts'

export interface StreamsOptions extends StageOptions {
  readonly streams: number
  /** How long all of them stay open. */
  readonly seconds: number
  readonly onSample?: (sample: Sample, open: number) => void
}

export interface StreamsReport {
  readonly idle: Sample
  /** While all were open. */
  readonly held: readonly Sample[]
  /** How long all of them took to open, in milliseconds. */
  readonly openedMs: number
  /** How long all of them took to end. */
  readonly endedMs: number
  /** The largest memory while all were open, less that before, for each stream, in bytes. */
  readonly bytesPerStream: number
  /** The same for what the heap keeps after a collection. */
  readonly keptPerStream: number
  readonly whole: number
  readonly faults: readonly string[]
}

/** One chunk for each stream in so long, in milliseconds. */
const CHUNK_EVERY_MS = 5_000
const OPENING_AT_ONCE = 50
/** Answered before the memory of an idle gateway is taken; one for each stream where these are fewer. */
const WARM_UP_REQUESTS = 400
const OPEN_MS_MAX = 120_000

async function warmUp({ port, rawKey }: SoakStage, streams: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  await Promise.all(
    Array.from({ length: Math.min(streams, WARM_UP_REQUESTS) }, (_, index) =>
      askOnce({ port, rawKey, agent, stream: index % 2 === 0 }),
    ),
  )
  agent.destroy()
  await wait(500)
}

interface OpenStreams {
  readonly answers: Promise<Answer>[]
  begun: number
}

async function openAll({ port, rawKey }: SoakStage, count: number, agent: Agent): Promise<OpenStreams> {
  const streams: OpenStreams = { answers: [], begun: 0 }
  const onFirst = (): void => {
    streams.begun++
  }
  while (streams.answers.length < count) {
    const batch = Math.min(OPENING_AT_ONCE, count - streams.answers.length)
    for (let index = 0; index < batch; index++) {
      streams.answers.push(askOnce({ port, rawKey, agent, stream: true, onFirst }))
    }
    const opened = streams.answers.length
    await until(() => streams.begun >= opened - OPENING_AT_ONCE, OPEN_MS_MAX)
  }
  return streams
}

/** Runs it. */
export async function runStreams(options: StreamsOptions): Promise<StreamsReport> {
  const stage = await openSoakStage(options)
  await warmUp(stage, options.streams)
  const idle = await stage.meter.sampleCollected()
  stage.upstream.hold(CHUNK_EVERY_MS)
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const openingAt = performance.now()
  const streams = await openAll(stage, options.streams, agent)
  const isOpen = await until(() => streams.begun === options.streams, OPEN_MS_MAX)
  const openedMs = performance.now() - openingAt
  await stage.meter.sample()

  const held: Sample[] = []
  const heldFrom = performance.now()
  while (performance.now() - heldFrom < options.seconds * 1_000) {
    await wait(Math.min(2_000, options.seconds * 500))
    const sample = await stage.meter.sample()
    held.push(sample)
    options.onSample?.(sample, streams.begun)
  }
  // Last of all, so that the collection does not make the memory smaller than it was.
  const kept = await stage.meter.sampleCollected()
  const endingAt = performance.now()
  stage.upstream.release()
  const answers = await Promise.all(streams.answers)
  const endedMs = performance.now() - endingAt
  const faults = await stage.end()
  const whole = answers.filter(({ end }) => end === 'whole').length
  const peak = Math.max(...held.map(({ rss }) => rss))
  return {
    ...{ idle, held, openedMs, endedMs, whole },
    bytesPerStream: (peak - idle.rss) / options.streams,
    keptPerStream: (kept.heapUsed - idle.heapUsed) / options.streams,
    faults: [
      ...(isOpen ? [] : [`${streams.begun} of ${options.streams} streams opened`]),
      ...(whole === options.streams ? [] : [`${options.streams - whole} streams were cut`]),
      ...faults,
    ],
  }
}
