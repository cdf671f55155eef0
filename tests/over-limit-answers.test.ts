/**
 * An upstream that ignores the limit it was sent and answers whole: what is charged is what it used, as far as the
 * hold and what is available go, and the rest is the operator's loss.
 */
import { nanocreditsOf, parseCredits } from '@svc/contract'
import { beforeEach, expect, test } from 'vitest'
import { sendCompletion, type StubHandler } from '../packages/server/testing/stub-upstream.ts'
import { describeEachEngine } from '../packages/server/testing/test-database.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { sendJson } from './audio-upstream.ts'
import { bookedOf } from './books-of.ts'
import { credits } from './open-stream.ts'
import { setBalance } from './funded-caller.ts'

/** Costs what its upstream says. */
const DEAR = 'openai/gpt-4o'
/** Far above the 50 tokens that are asked for: a million cost 60 credits by the rate card of this model. */
const LISTED = 'svc-gpt'
const TOKENS = 1_000_000
const messages = [{ role: 'user', content: 'Say hello.' }]

interface Form {
  readonly name: string
  readonly path: string
  readonly body: object
  /** Answers with so many tokens, and with a cost in USD where one is given. */
  readonly answer: (tokens: number, cost?: string) => StubHandler
}

const chatAnswer: Form['answer'] = (tokens, cost) => (_call, response) =>
  sendCompletion(response, {
    usage: { prompt_tokens: 10, completion_tokens: tokens },
    ...(cost === undefined ? {} : { cost }),
  })

const forms: readonly Form[] = [
  {
    ...{ name: 'a chat', path: '/v1/chat/completions', answer: chatAnswer },
    body: { model: DEAR, messages, max_tokens: 50 },
  },
  {
    ...{ name: 'a text completion', path: '/v1/completions', answer: chatAnswer },
    body: { model: DEAR, prompt: 'Say hello.', max_tokens: 50 },
  },
  {
    ...{ name: 'a response', path: '/v1/responses', answer: chatAnswer },
    body: { model: DEAR, input: 'Say hello.', max_output_tokens: 50 },
  },
  {
    ...{ name: 'a message', path: '/v1/messages', answer: chatAnswer },
    body: { model: DEAR, messages, max_tokens: 50 },
  },
  {
    ...{ name: 'embeddings', path: '/v1/embeddings' },
    body: { model: 'embeds', input: 'Hello' },
    answer: (tokens, cost) => (_call, response) => {
      const usage = {
        prompt_tokens: tokens,
        total_tokens: tokens,
        ...(cost === undefined ? {} : { cost: Number(cost) }),
      }
      sendJson(response, { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], usage })
    },
  },
]

const stub = useStubUpstream()

describeEachEngine('a whole answer far over its limit', (engine) => {
  const gateway = useGateway(() => ({
    ...{ engine, upstreamUrl: stub.url, credits: '0' },
    file: {
      routes: {
        embeds: { targets: [{ upstream: 'default', model: 'embeds', price: { input: '0.1', output: '0' } }] },
      },
    },
  }))
  beforeEach(() => setBalance(gateway, gateway.gateway.ledger, credits('20')))

  async function ask({ path, body }: Form, handler: StubHandler, key?: string) {
    stub.onChat = handler
    stub.onOther = handler
    const response = await gateway.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(key === undefined ? {} : { key }),
    })
    const text = await response.text()
    const books = await bookedOf(gateway, response.headers.get('x-request-id'))
    const [, digits = ''] = /"credits_charged":([\d.]+)/.exec(text) ?? []
    return { status: response.status, told: parseCredits(digits), books }
  }

  test.each(forms)('of $name is charged as it was used while the balance has it', async (form) => {
    // 0.01 USD are 12 credits.
    const { status, told, books } = await ask(form, form.answer(TOKENS, '0.01'))
    expect([status, told, books]).toEqual([
      ...[200, credits('12')],
      expect.objectContaining({ charge: credits('12'), cost: credits('10'), writeOff: 0n, status: 'ok' }),
    ])
    expect(await gateway.balance()).toEqual({ posted: credits('8'), held: 0n })
  })

  test.each(forms)('of $name takes what is available, and the rest is written off', async (form) => {
    const { status, told, books } = await ask(form, form.answer(TOKENS, '0.05'))
    expect([status, told, books]).toEqual([
      ...[200, credits('20')],
      expect.objectContaining({ charge: credits('20'), cost: credits('50'), writeOff: credits('40'), status: 'ok' }),
    ])
    expect(await gateway.balance()).toEqual({ posted: 0n, held: 0n })
  })

  test.each(forms)('of $name takes no more than is left of a budget', async (form) => {
    const { rawKey } = await gateway.createKey({ budget: { limit: nanocreditsOf(credits('15')), period: 'none' } })
    const { told, books } = await ask(form, form.answer(TOKENS, '0.05'), rawKey)
    expect([told, books]).toEqual([
      credits('15'),
      expect.objectContaining({ charge: credits('15'), writeOff: credits('45') }),
    ])
  })

  test.each(forms.slice(0, 3))('of $name is charged by its tokens where these are listed', async (listed) => {
    const form = { ...listed, body: { ...listed.body, model: LISTED } }
    const { told, books } = await ask(form, form.answer(TOKENS / 5))
    expect([told, books.writeOff]).toEqual([books.charge, 0n])
    expect(books.charge).toBe((10n * credits('12') + (BigInt(TOKENS) / 5n) * credits('60')) / 1_000_000n)
    await setBalance(gateway, gateway.gateway.ledger, credits('20'))
    const far = await ask(form, form.answer(TOKENS))
    expect([far.told, far.books.charge]).toEqual([credits('20'), credits('20')])
    expect(far.books.writeOff).toBe((10n * credits('12')) / 1_000_000n + credits('60') - credits('20'))
  })

  test.each(forms)('of $name that is longer than any answer is an error, and free', async (form) => {
    const limit = form.name === 'embeddings' ? 128 : 64
    const { status, books } = await ask(form, async (_call, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.on('error', () => undefined)
      response.write('{"text":"')
      const piece = 'a'.repeat(1_048_576)
      for (let at = 0; at <= limit && !response.destroyed; at++) {
        await new Promise((resolve) => response.write(piece, resolve))
      }
      response.end('"}')
    })
    expect([status, books.charge, books.writeOff, books.status]).toEqual([502, 0n, 0n, 'error'])
    expect(await gateway.balance()).toEqual({ posted: credits('20'), held: 0n })
  })
})
