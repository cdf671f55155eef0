/** A whole gateway whose upstream makes videos when a test says so. */
import { afterAll, beforeAll, expect } from 'vitest'
import { findFreePort } from '../packages/server/testing/free-port.mjs'
import {
  startStubVideoUpstream,
  type StubVideoJob,
  type StubVideoUpstream,
} from '../packages/server/testing/stub-video-upstream.ts'
import {
  createTestAccount,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../packages/server/testing/test-gateway.ts'

export const VIDEO_MODEL = 'openrouter/google/veo-3.1-lite'

export interface VideoGateway extends TestGateway {
  readonly stub: StubVideoUpstream
  readonly clock: { now(): number; moved: number }
  /** Submits a video, and answers what was answered. */
  submit(body?: object, key?: string): Promise<Answer>
  poll(id: string, key?: string): Promise<Answer>
  /** The upstream's job of one of ours, by the order of their submission. */
  upstreamJob(at: number): StubVideoJob
  /** Makes a key of another account. */
  createKeyElsewhere(): Promise<string>
  /** Stops the gateway and its upstream. */
  end(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; empty where it was no JSON. */
  readonly json: AnswerBody
}

/** The parts of bodies that tests look into. */
export interface AnswerBody {
  readonly [name: string]: unknown
  readonly id?: string
  readonly error?: { readonly code?: string; readonly param?: string | null }
  readonly data?: readonly { readonly id: string; readonly pricing?: unknown }[]
  readonly unsigned_urls?: readonly string[]
  readonly last_id?: string
  readonly completed_at?: number
  readonly expires_at?: number
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? (JSON.parse(text) as AnswerBody) : {},
  }
}

/**
 * Registers the hooks of both for the tests of this file or suite. What it returns has its members from the next hook
 * on.
 */
export function useVideoGateway(options: TestGatewayOptions = {}): VideoGateway {
  const gateway = {} as VideoGateway
  beforeAll(async () => void Object.assign(gateway, await startVideoGateway(options)))
  afterAll(() => gateway.end())
  return gateway
}

/** Starts both. Its addresses are those that answers name. */
export async function startVideoGateway(options: TestGatewayOptions = {}): Promise<VideoGateway> {
  const stub = await startStubVideoUpstream()
  const clock = { moved: 0, now: () => Date.now() + clock.moved }
  const port = String(await findFreePort())
  const env = { SVC_PORT: port, SVC_PUBLIC_URL: `http://127.0.0.1:${port}`, ...options.env }
  const gateway = await startTestGateway({ upstreamUrl: stub.url, clock, ...options, env })
  const withKey = (key: string | undefined) => (key === undefined ? {} : { key })
  return {
    ...gateway,
    ...{ stub, clock },
    async submit(body = {}, key) {
      const request = { model: VIDEO_MODEL, prompt: 'A paper boat.', duration: 4, ...body }
      const response = await gateway.fetch('/v1/videos/generations', {
        ...withKey(key),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
      return answerOf(response)
    },
    poll: async (id, key) => answerOf(await gateway.fetch(`/v1/videos/${id}`, withKey(key))),
    upstreamJob: (at) => {
      const job = stub.jobs[at]
      if (job === undefined) throw new Error(`the upstream has no job ${at}`)
      return job
    },
    async createKeyElsewhere() {
      const { accountId, teamId } = await createTestAccount(gateway.gateway, '1000', 'Elsewhere')
      return (await gateway.createKey({ accountId, teamId })).rawKey
    },
    async end() {
      for (const job of stub.jobs) if (/pending|in_progress/.test(job.status)) job.status = 'failed'
      await settleAll(gateway)
      await gateway.stop()
      await stub.close()
    },
  }
}

/** Reads every job once, so that each is settled. */
async function settleAll(gateway: TestGateway): Promise<void> {
  const { database } = gateway.gateway
  const open = await database.read
    .selectFrom('video_job')
    .select(['job_id', 'account_id'])
    .where('settled_at', 'is', null)
    .execute()
  for (const { job_id: id, account_id: account } of open) {
    if (account !== gateway.accountId) continue
    const response = await gateway.fetch(`/v1/videos/${id}`)
    await response.text()
  }
}

/** The account's captures so far, in nanocredits. */
export async function capturesOf(gateway: TestGateway): Promise<readonly bigint[]> {
  const rows = await gateway.gateway.database.read
    .selectFrom('transfer')
    .select('charge')
    .where('kind', '=', 'capture')
    .where('account_id', '=', gateway.accountId)
    .execute()
  return rows.map((row) => row.charge)
}

/** Fails when an answer is no success. */
export function expectSubmitted(answer: Answer): string {
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"object":"video"')])
  return String(answer.json['id'])
}
