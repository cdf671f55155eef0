import { readFileSync } from 'node:fs'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerOf,
  ask,
  chat,
  type HeardAnswer,
  framesOf,
  joined,
  SANDBOX_KEY,
  startTestSandbox,
} from '../testing/sandbox-client.ts'
import { costOfSandboxModel, findSandboxModel, sandboxMediaModels, sandboxModels } from './sandbox-model.ts'
import { noPace } from './sandbox-options.ts'
import type { Sandbox } from './sandbox-server.ts'

let sandbox: Sandbox
let nowMs = 1_795_000_000_000

beforeAll(async () => {
  sandbox = await startTestSandbox({ clock: { now: () => nowMs }, pace: { ...noPace, lateCostMs: 500 } })
})

afterAll(() => sandbox.close())

const fault = (name: string, extra: object = {}): ReturnType<typeof chat> => chat(sandbox, `svc-sandbox/${name}`, extra)
const streamed = (name: string): ReturnType<typeof chat> => fault(name, { stream: true })
const lookUp = async (heard: Awaited<ReturnType<typeof chat>>): Promise<number> =>
  (await ask(sandbox, `/generation?id=${String(heard.headers['x-generation-id'])}`)).status

/** Frames of the first choice that carry text. */
const contentFrames = (text: string): HeardAnswer[] =>
  framesOf(text).filter((frame) => frame.choices?.[0]?.delta?.content)

describe('the table of scripted models', () => {
  test('is in the document, word for word', () => {
    const document = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
    const rows = document.split('\n').filter((line) => line.startsWith('| `svc-sandbox/'))
    const models = [...sandboxModels, ...sandboxMediaModels]
    expect(rows).toEqual(models.map((model) => `| \`${model.id}\` | ${model.clientSees} | ${model.charged} |`))
  })

  test('an id finds its row, with a number where it takes one', () => {
    expect(findSandboxModel('svc-sandbox/cut@7')?.id).toBe('svc-sandbox/cut@7')
    expect(findSandboxModel('svc-sandbox/cut')).not.toBeNull()
    for (const id of [
      'svc-sandbox/',
      'svc-sandbox/none',
      'svc-sandbox/cut@',
      'svc-sandbox/cut@x',
      'svc-sandbox/cut@1@2',
      'svc-sandbox/cut@1001',
      'svc-sandbox/500@1',
      'cut@7',
    ]) {
      expect(findSandboxModel(id), id).toBeNull()
    }
  })

  test('the model 402 costs a million USD beside its tokens', () => {
    const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
    expect(costOfSandboxModel('svc-sandbox/402', usage)).toBe('1000000.000003')
    expect(costOfSandboxModel('svc-sandbox/slow', usage)).toBe('0.000003')
    expect(costOfSandboxModel('test/model', usage)).toBeNull()
  })
})

describe('refusals', () => {
  test.each([
    ['400', 400],
    ['429', 429],
    ['500', 500],
    ['502', 502],
    ['503', 503],
    ['504', 504],
    ['moderated', 403],
    ['too-long', 400],
    ['upstream-401', 401],
    ['upstream-402', 402],
  ])('%s answers %i, streamed or not', async (name, status) => {
    for (const heard of [await fault(name), await streamed(name)]) {
      expect(heard.status).toBe(status)
      expect(JSON.parse(heard.text).error).toMatchObject({ code: status, message: expect.any(String) })
    }
  })

  test('429 and 503 say when to come back', async () => {
    expect((await fault('429')).headers['retry-after']).toBe('3')
    expect((await fault('503')).headers['retry-after']).toBe('5')
  })

  test('pages and errors in a 200 look as they do in the wild', async () => {
    expect(await fault('html-error')).toMatchObject({ status: 502, text: expect.stringContaining('<html>') })
    expect(await fault('html-200')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    expect(JSON.parse((await fault('error-200')).text)).toMatchObject({ error: { code: 502 } })
  })
})

describe('answers that break', () => {
  test.each([0, 1, 4])('cut@%i sends so many chunks and breaks the connection', async (count) => {
    const { status, text, brokenBy } = await streamed(`cut@${count}`)
    expect(status).toBe(200)
    expect(brokenBy).not.toBeNull()
    expect(contentFrames(text)).toHaveLength(count)
    expect(text).not.toContain('[DONE]')
  })

  test('cut breaks a whole answer in the middle', async () => {
    const heard = await fault('cut@1')
    expect(heard.brokenBy).not.toBeNull()
    expect(() => JSON.parse(heard.text)).toThrow(SyntaxError)
    expect(await lookUp(heard)).toBe(404)
  })

  test('a cut beyond the end still comes before the finish reason', async () => {
    const { text, brokenBy } = await streamed('cut@1000')
    expect(brokenBy).not.toBeNull()
    expect(text).not.toContain('"finish_reason":"stop"')
  })

  test.each([0, 2])('error@%i sends so many chunks and an error frame in the form of OpenRouter', async (count) => {
    const { text, brokenBy } = await streamed(`error@${count}`)
    expect(brokenBy).toBeNull()
    expect(contentFrames(text)).toHaveLength(count)
    expect(framesOf(text).at(-1)).toMatchObject({ error: { code: 502 }, choices: [{ finish_reason: 'error' }] })
  })

  test('error on a whole answer comes with 200', async () => {
    const { status, text } = await fault('error@2')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toMatchObject({ error: { code: 502 }, choices: [{ finish_reason: 'error' }] })
  })

  test.each([
    ['hang', false],
    ['stall@2', true],
  ])('%s stays silent until the client goes', async (name, hasBegun) => {
    const leaving = new AbortController()
    const body = JSON.stringify({
      model: `svc-sandbox/${name}`,
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    })
    const answer = request(`${sandbox.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SANDBOX_KEY}` },
      body,
      signal: leaving.signal,
    })
    if (!hasBegun) {
      // Another request on the same sandbox is answered in the meantime.
      expect((await fault('400')).status).toBe(400)
      leaving.abort()
      await expect(answer).rejects.toThrow(/abort/i)
      return
    }
    let text = ''
    const reading = (async () => {
      for await (const chunk of (await answer).body) {
        text += String(chunk)
        if (contentFrames(text).length === 2) leaving.abort()
      }
    })()
    await expect(reading).rejects.toThrow(/abort/i)
    expect(contentFrames(text)).toHaveLength(2)
  })
})

describe('answers with odd bookkeeping', () => {
  test('empty has no content, no tokens and no cost', async () => {
    const { first, usage } = answerOf(await fault('empty'))
    expect(first.message.content).toBe('')
    expect(usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, cost: 0 })
    expect(joined((await streamed('empty')).text, 'content')).toBe('')
  })

  test('no-usage reports nothing and knows nothing later', async () => {
    for (const heard of [await fault('no-usage'), await streamed('no-usage')]) {
      expect(heard.text).not.toContain('"usage":')
      expect(await lookUp(heard)).toBe(404)
    }
  })

  test('late-usage reports nothing at once, and the look-up knows it a moment later', async () => {
    const heard = await streamed('late-usage')
    expect(heard.text).not.toContain('"usage":')
    expect(await lookUp(heard)).toBe(404)
    nowMs += 500
    expect(await lookUp(heard)).toBe(200)
  })

  test('no-cost reports usage alone', async () => {
    const { usage } = answerOf(await fault('no-cost'))
    expect(usage.completion_tokens).toBeGreaterThan(0)
    expect(usage).not.toHaveProperty('cost')
  })

  test('repeat-usage has rising usage on every chunk, and the whole at the end', async () => {
    const counts = framesOf((await streamed('repeat-usage')).text).map((frame) => frame.usage.completion_tokens)
    expect(counts.toSorted((left, right) => left - right)).toEqual(counts)
    expect(counts[0]).toBe(0)
  })

  test('usage-on-finish has usage on the chunk with the finish reason alone', async () => {
    const frames = framesOf((await streamed('usage-on-finish')).text)
    expect(frames.filter((frame) => 'usage' in frame).map((frame) => frame.choices?.[0]?.finish_reason)).toEqual([
      'stop',
    ])
  })

  test('overrun counts every token ten times', async () => {
    const { usage } = answerOf(await fault('overrun', { max_tokens: 5 }))
    expect(usage.completion_tokens).toBe(50)
  })

  test('length, reasoning, tools, refusal and filtered have the shape of their names', async () => {
    const of = async (name: string): Promise<ReturnType<typeof answerOf>> => answerOf(await fault(name))
    expect((await of('length')).usage.completion_tokens).toBe(5)
    expect((await of('reasoning')).first.message.reasoning).toMatch(/\w/)
    expect((await of('tools')).first.message.tool_calls[0]?.function.name).toBe('sandbox_tool')
    expect((await of('refusal')).first.message).toMatchObject({
      content: null,
      refusal: expect.stringContaining('refuses'),
    })
    expect((await of('filtered')).first.finish_reason).toBe('content_filter')
    expect(joined((await streamed('reasoning')).text, 'reasoning')).toMatch(/\w/)
    expect(joined((await streamed('refusal')).text, 'refusal')).toContain('refuses')
  })
})

describe('answers on an odd wire', () => {
  test.each(['fragments', 'odd-frames'])('%s carries an ordinary answer', async (name) => {
    const whole = answerOf(await fault(name)).first.message.content
    const { text } = await streamed(name)
    expect(joined(text, 'content')).toBe(whole)
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  test('no-done ends without the last word, no-content-type without a type', async () => {
    const { text, brokenBy } = await streamed('no-done')
    expect(brokenBy).toBeNull()
    expect(text).not.toContain('[DONE]')
    expect(framesOf(text).at(-1)?.usage).toBeDefined()
    for (const heard of [await fault('no-content-type'), await streamed('no-content-type')]) {
      expect(heard.headers['content-type']).toBeUndefined()
      expect(heard.status).toBe(200)
    }
  })

  test('slow begins with comments while it is awaited', async () => {
    const slow = await startTestSandbox({ pace: { ...noPace, slowFirstTokenMs: 1_000 } })
    const { text } = await chat(slow, 'svc-sandbox/slow', { stream: true })
    expect(text).toMatch(/^: SANDBOX PROCESSING\n\n/)
    expect(joined(text, 'content')).toContain('svc-sandbox/slow')
    await slow.close()
  })

  test('huge sends so many MiB and counts its chunks', async () => {
    const whole = answerOf(await fault('huge@2'))
    expect(whole.first.message.content.length).toBeGreaterThan(2_000_000)
    expect(whole.usage.completion_tokens).toBe(128)
    expect(framesOf((await streamed('huge@1')).text).at(-1)?.usage.completion_tokens).toBe(64)
  })

  test('huge waits for a reader that does not read, and is looked up by what was sent once it goes', async () => {
    const body = JSON.stringify({
      model: 'svc-sandbox/huge@256',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    })
    const answer = await request(`${sandbox.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SANDBOX_KEY}` },
      body,
    })
    const path = `/generation?id=${String(answer.headers['x-generation-id'])}`
    expect((await ask(sandbox, path)).status).toBe(404)
    answer.body.on('error', () => undefined).destroy()
    await expect.poll(async () => (await ask(sandbox, path)).status).toBe(200)
    const { data } = JSON.parse((await ask(sandbox, path)).text)
    expect(data.cancelled).toBe(true)
    expect(data.tokens_completion).toBeLessThan(16_384)
  })
})
