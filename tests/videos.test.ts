/** Video jobs over HTTP, against an upstream that makes them when the test says so. */
import { describe, expect, test } from 'vitest'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { dumpDatabase } from '../packages/server/testing/dump-database.ts'
import { eventually } from '../packages/server/testing/eventually.ts'
import { forgeSignature } from '../packages/server/testing/forge-signature.ts'
import {
  type Answer,
  answerOf,
  capturesOf,
  expectSubmitted,
  startVideoGateway,
  useVideoGateway,
  VIDEO_MODEL,
} from './video-gateway.ts'

const PROMPT = 'A canary of paper sings 7f3e.'

describeEachEngine('videos', (engine) => {
  const gateway = useVideoGateway({ engine, credits: '100000' })

  const latest = () => gateway.upstreamJob(gateway.stub.jobs.length - 1)
  const code = ({ json }: Pick<Answer, 'json'>): unknown => json.error?.code

  test('a submission is answered with the job and its estimate, and charges nothing', async () => {
    const before = await gateway.balance()
    const answer = await gateway.submit({ duration: 8 })
    const id = expectSubmitted(answer)
    expect(answer.json).toMatchObject({
      ...{ object: 'video', status: 'queued', model: VIDEO_MODEL, progress: 0, seconds: '8', size: '1280x720' },
      ...{ prompt: null, completed_at: null, expires_at: null, remixed_from_video_id: null },
      polling_url: `${gateway.baseUrl}/v1/videos/${id}`,
      svc: { credits_estimate: 480, margin_bps: 2_000 },
    })
    expect(answer.json).not.toHaveProperty('error')
    expect(answer.headers.get('openai-poll-after-ms')).toBe('5000')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { posted, held } = await gateway.balance()
    expect([posted, held - before.held]).toEqual([before.posted, 480_000_000_000n])
    const usage = await answerOf(await gateway.fetch(`/v1/usage/${answer.headers.get('x-request-id')}`))
    expect(usage.json).toMatchObject({ state: 'pending', type: 'video', credits_reserved: 480, job_id: id })
  })

  test('the first poll that sees it completed charges the exact cost, and every poll says the same', async () => {
    const submitted = await gateway.submit()
    const id = expectSubmitted(submitted)
    const captured = (await capturesOf(gateway)).length
    const job = latest()
    job.status = 'in_progress'
    job.progress = 40
    expect((await gateway.poll(id)).json).toMatchObject({ status: 'in_progress', progress: 40 })
    gateway.stub.complete(job, '0.1970000000000000001')
    const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.poll(id)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const [first] = answers
    expect(first?.json).toMatchObject({
      ...{ status: 'completed', progress: 100, unsigned_urls: [expect.stringContaining('/content?index=0&expires=')] },
      data: [{ content_type: 'video/mp4' }],
      svc: { credits_estimate: 240, credits_charged: 236.400000001, margin_bps: 2_000 },
      usage: { cost: 0.236400000001 },
    })
    expect((first?.json.expires_at ?? 0) - (first?.json.completed_at ?? 0)).toBeGreaterThanOrEqual(86_400)
    expect(first?.headers.get('openai-poll-after-ms')).toBeNull()
    expect(await capturesOf(gateway)).toHaveLength(captured + 1)
    // Of all polls one has charged it, and the line of that one says so.
    await eventually(() => {
      const charges = gateway.logged.map((line) => (JSON.parse(line) as { credits_charged?: string }).credits_charged)
      expect(charges.filter((charge) => charge === '236.400000001')).toHaveLength(1)
    })
    const usage = await answerOf(await gateway.fetch(`/v1/usage/${submitted.headers.get('x-request-id')}`))
    expect(usage.json).toMatchObject({
      ...{ state: 'final', type: 'video', status: 'ok', credits_charged: 236.400000001, basis: 'cost', job_id: id },
      units: { kind: 'seconds', quantity: 4 },
    })
    const list = await answerOf(await gateway.fetch('/v1/usage?type=video&limit=1'))
    expect(list.json.data?.[0]).toMatchObject({ job_id: id })
  })

  test('a failed video says why in our words, and is free', async () => {
    const id = expectSubmitted(await gateway.submit({ prompt: PROMPT }))
    const before = await capturesOf(gateway)
    Object.assign(latest(), { status: 'failed', error: `moderation: "${PROMPT}" is forbidden` })
    const answer = await gateway.poll(id)
    expect(answer.json).toMatchObject({
      status: 'failed',
      error: { code: 'content_policy_violation', message: expect.stringContaining('not charged') },
    })
    expect(answer.text).not.toContain('canary')
    expect(answer.json['svc']).not.toHaveProperty('credits_charged')
    expect(await capturesOf(gateway)).toEqual(before)
    const content = await answerOf(await gateway.fetch(`/v1/videos/${id}/content`))
    expect([content.status, code(content), content.headers.get('x-should-retry')]).toEqual([
      409,
      'job_not_completed',
      'false',
    ])
  })

  test('no prompt is in the database or the log', async () => {
    const id = expectSubmitted(await gateway.submit({ prompt: PROMPT }))
    gateway.stub.complete(latest())
    await gateway.poll(id)
    const { database } = gateway.gateway
    const dump = await dumpDatabase({ engine, database, dataDir: gateway.dataDir })
    expect(dump).toContain(id)
    expect(dump + gateway.logged.join('\n')).not.toContain('canary of paper')
  })

  // Case B107.
  test('a job is for its account alone: 404 for another, 401 without a key, and nothing moves', async () => {
    const id = expectSubmitted(await gateway.submit())
    gateway.stub.complete(latest())
    const stranger = await gateway.createKeyElsewhere()
    const paths = [`/v1/videos/${id}`, `/v1/videos/${id}/content`]
    for (const path of paths) {
      const other = await answerOf(await gateway.fetch(path, { key: stranger }))
      expect([other.status, code(other)]).toEqual([404, 'job_not_found'])
      const nobody = await answerOf(await gateway.fetch(path, { key: null }))
      expect([nobody.status, code(nobody)]).toEqual([401, 'invalid_api_key'])
    }
    const removal = await gateway.fetch(`/v1/videos/${id}`, { method: 'DELETE', key: stranger })
    expect([removal.status, code(await answerOf(removal))]).toEqual([404, 'job_not_found'])
    expect((await answerOf(await gateway.fetch('/v1/videos', { key: stranger }))).json['data']).toEqual([])
    expect(latest().polls).toBe(0)
    const { rawKey } = await gateway.createKey()
    expect((await gateway.poll(id, rawKey)).json).toMatchObject({ status: 'completed' })
  })

  test('a download obeys Range and HEAD, with a key or by its address alone', async () => {
    const id = expectSubmitted(await gateway.submit())
    gateway.stub.complete(latest())
    const [url = ''] = (await gateway.poll(id)).json.unsigned_urls ?? []
    const whole = await fetch(url)
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('content-length')]).toEqual([
      ...[200, 'video/mp4', '100000'],
    ])
    const bytes = Buffer.from(await whole.arrayBuffer())
    const part = await gateway.fetch(`/v1/videos/${id}/content`, { headers: { range: 'bytes=99990-' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 99990-99999/100000'])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(99_990))).toBe(true)
    const last = await fetch(url, { headers: { range: 'bytes=-5' } })
    expect(Buffer.from(await last.arrayBuffer()).equals(bytes.subarray(-5))).toBe(true)
    const nowhere = await answerOf(await fetch(url, { headers: { range: 'bytes=100000-' } }))
    expect([nowhere.status, nowhere.headers.get('content-range')]).toEqual([416, 'bytes */100000'])
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '100000', ''])
    const forged = await answerOf(await fetch(forgeSignature(url)))
    expect([forged.status, code(forged)]).toEqual([403, 'invalid_signature'])
    const beyond = await answerOf(await gateway.fetch(`/v1/videos/${id}/content?index=1`))
    expect([beyond.status, beyond.json.error?.param]).toEqual([400, 'index'])
    const variant = await answerOf(await gateway.fetch(`/v1/videos/${id}/content?variant=thumbnail`))
    expect([variant.status, variant.json.error?.param]).toEqual([400, 'variant'])
    expect(await capturesOf(gateway)).not.toContain(0n)
  })

  test('a job that is not completed has no content yet', async () => {
    const id = expectSubmitted(await gateway.submit())
    const answer = await answerOf(await gateway.fetch(`/v1/videos/${id}/content`))
    expect([answer.status, code(answer)]).toEqual([409, 'job_not_completed'])
  })

  test('a deleted video is gone, with its files and its addresses', async () => {
    const id = expectSubmitted(await gateway.submit())
    gateway.stub.complete(latest())
    const [url = ''] = (await gateway.poll(id)).json.unsigned_urls ?? []
    const removed = await answerOf(await gateway.fetch(`/v1/videos/${id}`, { method: 'DELETE' }))
    expect([removed.status, removed.json]).toEqual([200, { id, object: 'video.deleted', deleted: true }])
    expect((await fetch(url)).status).toBe(404)
    expect((await gateway.poll(id)).status).toBe(404)
    const list = await answerOf(await gateway.fetch('/v1/videos?limit=100'))
    expect(list.json.data?.map((video) => video.id)).not.toContain(id)
  })

  test('a running video is not deleted by an upstream that gives none up, and its hold stays', async () => {
    const id = expectSubmitted(await gateway.submit())
    const before = await gateway.balance()
    const answer = await answerOf(await gateway.fetch(`/v1/videos/${id}`, { method: 'DELETE' }))
    expect([answer.status, code(answer), answer.headers.get('x-should-retry')]).toEqual([
      ...[409, 'job_not_cancelled', 'false'],
    ])
    expect(await gateway.balance()).toEqual(before)
  })

  test('the list is paged', async () => {
    const first = await answerOf(await gateway.fetch('/v1/videos?limit=2'))
    expect(first.json).toMatchObject({ object: 'list', has_more: true })
    expect(first.json['data']).toHaveLength(2)
    const after = await answerOf(await gateway.fetch(`/v1/videos?limit=1&after=${first.json.last_id}`))
    expect((after.json.data?.[0]?.id ?? '') < (first.json.last_id ?? '')).toBe(true)
    const wrong = await answerOf(await gateway.fetch('/v1/videos?limit=101'))
    expect([wrong.status, wrong.json.error?.param]).toEqual([400, 'limit'])
    const odd = await answerOf(await gateway.fetch('/v1/videos?after=garbage'))
    expect([odd.status, odd.json.error?.param]).toEqual([400, 'after'])
  })
})

describe('video requests', () => {
  const gateway = useVideoGateway({ credits: '1000' })

  // Case B112, and the limits of every field.
  test.each([
    [{ duration: 0 }, 'duration', 'invalid_value'],
    [{ duration: -5 }, 'duration', 'invalid_value'],
    [{ duration: 1e6 }, 'duration', 'invalid_value'],
    [{ duration: '8' }, 'duration', 'invalid_value'],
    [{ duration: 7 }, 'duration', 'invalid_value'],
    [{ duration: null, seconds: 8 }, 'seconds', 'invalid_value'],
    [{ resolution: '8K' }, 'resolution', 'invalid_value'],
    [{ size: '1280' }, 'size', 'invalid_value'],
    [{ n: 2 }, 'n', 'invalid_value'],
    [{ prompt: '' }, 'prompt', 'empty_content'],
    [{ prompt: 'x'.repeat(32_001) }, 'prompt', 'invalid_value'],
    [{ prompt: 5 }, 'prompt', 'invalid_value'],
    [{ seed: -1 }, 'seed', 'invalid_value'],
    [{ generate_audio: 'yes' }, 'generate_audio', 'invalid_value'],
    [{ frame_images: [{ image_url: { url: 'gopher://x' } }] }, 'frame_images.0.image_url.url', 'invalid_value'],
    [{ model: undefined }, 'model', 'missing_required_parameter'],
    [{ model: 'openrouter/nobody/nothing' }, 'model', 'model_not_found'],
    [{ model: 'svc-gpt' }, 'model', 'invalid_value'],
    [{ provider: { only: ['x'] } }, 'provider', 'unsupported_parameter'],
    [{ callback_url: 'https://a.example' }, 'callback_url', 'unsupported_parameter'],
  ])('%j is refused by its name, and no upstream is asked', async (body, param, code) => {
    const answer = await gateway.submit(body)
    expect([answer.json.error?.param, answer.json.error?.code]).toEqual([param, code])
    expect(answer.status).toBe(code === 'model_not_found' ? 404 : 400)
    expect(gateway.stub.jobs).toHaveLength(0)
  })

  test.each([
    ['/v1/videos', '{"model"', 400, 'invalid_json'],
    ['/v1/videos', '[]', 400, 'invalid_json'],
    ['/v1/videos/generations', 'null', 400, 'invalid_json'],
  ])('%s with %s is no request', async (path, body, status, code) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await answerOf(await gateway.fetch(path, { method: 'POST', headers, body }))
    expect([answer.status, answer.json.error?.code]).toEqual([status, code])
  })

  test('the 402 names what is needed, and how many seconds there would be credits for', async () => {
    const answer = await gateway.submit({ duration: 8, resolution: '1080p', model: 'google/veo-3.1' })
    expect(answer.status).toBe(402)
    expect(answer.json['error']).toMatchObject({
      ...{ code: 'insufficient_credits', credits_required: 3_840, credits_available: 1_000, credits_short: 2_840 },
      affordable_seconds: 2,
    })
    expect(gateway.stub.jobs).toHaveLength(0)
    expect((await gateway.balance()).held).toBe(0n)
  })

  test('a key that may not use a model, or may do nothing, is refused', async () => {
    const { rawKey } = await gateway.createKey({ models: ['svc-gpt'] })
    expect(await gateway.submit({}, rawKey)).toMatchObject({
      status: 403,
      json: { error: { code: 'model_not_allowed' } },
    })
    const { rawKey: idle } = await gateway.createKey({ rights: ['deposits'] })
    expect(await gateway.submit({}, idle)).toMatchObject({ status: 403, json: { error: { code: 'key_scope_denied' } } })
  })

  // Case B116.
  test('no header of a request decides what addresses an answer names', async () => {
    const response = await gateway.fetch('/v1/videos', {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'gopher' },
        ...{ host: 'evil.test', forwarded: 'host=evil.test' },
      },
      body: JSON.stringify({ model: VIDEO_MODEL, prompt: 'x', duration: 4 }),
    })
    const answer = await answerOf(response)
    expect(answer.status).toBe(202)
    expect(answer.json['polling_url']).toBe(`${gateway.baseUrl}/v1/videos/${answer.json.id}`)
    expect(answer.text).not.toContain('evil')
  })

  test('an upstream that refuses a submission leaves no hold and no job', async () => {
    const before = await gateway.balance()
    const jobs = (await answerOf(await gateway.fetch('/v1/videos'))).json.data?.length ?? 0
    gateway.stub.intercept = (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"too long","code":400}}')
      return true
    }
    const answer = await gateway.submit()
    expect([answer.status, answer.json.error?.code]).toEqual([400, 'upstream_rejected_request'])
    gateway.stub.intercept = (_request, response) => {
      response.destroy()
      return true
    }
    const broken = await gateway.submit()
    expect([broken.status, broken.headers.get('x-should-retry')]).toEqual([502, 'false'])
    gateway.stub.intercept = () => false
    expect(await gateway.balance()).toEqual(before)
    expect((await answerOf(await gateway.fetch('/v1/videos'))).json['data']).toHaveLength(jobs)
  })

  test('a file that breaks off before its first byte is the upstream’s failure', async () => {
    const { json } = await gateway.submit()
    gateway.stub.complete(gateway.stub.jobs.at(-1))
    const logged = gateway.logged.length
    gateway.stub.intercept = (request, response) => {
      if (request.headers.range !== undefined || !request.path.endsWith('/content')) return false
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1_000 }).flushHeaders()
      setImmediate(() => response.destroy())
      return true
    }
    const answer = await answerOf(await gateway.fetch(`/v1/videos/${json.id}/content`))
    gateway.stub.intercept = () => false
    expect([answer.status, answer.json.error?.code]).toEqual([502, 'upstream_error'])
    expect(gateway.logged.slice(logged).filter((line) => line.includes('internal_error'))).toEqual([])
  })

  test('the models have credits per second, lengths and resolutions, and need no key', async () => {
    const answer = await answerOf(await gateway.fetch('/v1/videos/models', { key: null }))
    expect([answer.status, answer.json['object']]).toEqual([200, 'list'])
    const lite = answer.json.data?.find((model) => model.id === VIDEO_MODEL)
    expect(lite).toMatchObject({
      ...{ credits_per_second: 60, supported_durations: [4, 6, 8], supported_resolutions: ['720p', '1080p'] },
      ...{ default_duration: 4, default_resolution: '720p', estimated: false },
    })
    expect(lite?.pricing).toContainEqual({ unit: 'second', credits: 36, resolution: '720p', audio: false })
    expect(answer.json.data?.length).toBeGreaterThanOrEqual(10)
  })

  test('videos that a key submits have a limit of their own', async () => {
    const limited = await startVideoGateway({ file: { limits: { video_submits_per_minute: 12 } } })
    const statuses = []
    for (let at = 0; at < 3; at++) statuses.push((await limited.submit()).status)
    expect(statuses).toEqual([200, 200, 429])
    expect((await limited.fetch('/v1/balance')).status).toBe(200)
    await limited.end()
  })
})
