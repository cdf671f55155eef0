import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChunkTemplates, type ReadChunk } from './chunk-template.ts'
import { cleanChunk, membersOf } from './clean-chunk.ts'

type Json = Record<string, unknown>

/** What a chunk says when it is read whole; null where that cannot be. */
function readWhole(data: string): ReadChunk | null {
  try {
    const cleaned = cleanChunk(JSON.parse(data) as Json)
    return cleaned === null ? null : { members: membersOf(cleaned), facts: cleaned.facts }
  } catch {
    return null
  }
}

function learn(templates: ChunkTemplates, data: string): void {
  const cleaned = cleanChunk(JSON.parse(data) as Json)
  if (cleaned !== null) templates.learnFrom(data, cleaned)
}

/** Templates that have learnt from a chunk as the second of its stream. */
function templatesOf(data: string): ChunkTemplates {
  const templates = new ChunkTemplates()
  learn(templates, data)
  learn(templates, data)
  return templates
}

const wrap = (delta: Json, more: Json = {}): Json => ({
  ...{ id: 'gen-1', object: 'chat.completion.chunk', created: 1, model: 'm', provider: 'p' },
  choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null, logprobs: null }],
  ...more,
})
const chunkOf = (words: string): string => JSON.stringify(wrap({ role: 'assistant', content: words }))

/** A chunk whose words are written as this text, quotes excluded. */
const written = (text: string): string => chunkOf('#').replace('#', () => text)

describe('a template', () => {
  test.each([
    ['plain words', 'fox '],
    ['one character', 'a'],
    ['words of several bytes', 'Grüße 好 🙂'],
    ['short escapes', String.raw`a\n\t\"\\b`],
    ['escapes that need not be', String.raw`caf\u00e9 \/ \u597d`],
    ['a control character', String.raw`\u0001`],
    ['half of a pair', String.raw`\ud83d`],
    ['a line separator', '\u2028'],
    ['what looks like the rest of a chunk', String.raw`\"},\"finish_reason\":\"stop\"}`],
  ])('reads as the whole way does: %s', (_name, text) => {
    const data = written(text)
    const read = templatesOf(chunkOf('The quick')).read(data)
    expect(read).not.toBeNull()
    expect(read).toEqual(readWhole(data))
  })

  test.each([
    ['no words', written('')],
    ['a quote that ends them', written('a","role":"user')],
    ['a bare control character', written('a\nb')],
    ['an escape that is none', written(String.raw`\x`)],
    ['an escape of the closing quote', written('a\\')],
    ['another shape', JSON.stringify(wrap({ content: 'a' }))],
    [
      'usage beside the words',
      JSON.stringify(wrap({ role: 'assistant', content: 'a' }, { usage: { total_tokens: 1 } })),
    ],
    ['an end', chunkOf('a').replace('"finish_reason":null', '"finish_reason":"stop"')],
    ['a part of a chunk', chunkOf('a').slice(0, -1)],
    ['ends that overlap', '{"id":"gen-1"}'],
  ])('leaves to the whole way: %s', (_name, data) => {
    expect(templatesOf(chunkOf('The quick')).read(data)).toBeNull()
  })

  test('reasoning has one of its own', () => {
    const thought = (reasoning: string): string => JSON.stringify(wrap({ role: 'assistant', content: '', reasoning }))
    const read = templatesOf(thought('hmm')).read(thought('so: 好'))
    expect(read).not.toBeNull()
    expect(read).toEqual(readWhole(thought('so: 好')))
  })

  test.each<[string, Json]>([
    ['an end', { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }],
    ['two choices', { choices: [0, 1].map((index) => ({ index, delta: { content: 'a' } })) }],
    ['words at two places', wrap({ reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a' }] })],
    ['words that are its tier', wrap({ content: 'default' }, { service_tier: 'default' })],
    ['a call', wrap({ tool_calls: [{ index: 0, function: { arguments: '{' } }] })],
  ])('is not made of %s', (_name, chunk) => {
    const data = JSON.stringify(chunk)
    expect(templatesOf(data).read(data)).toBeNull()
  })

  test('whatever comes in whatever order is read as the whole way reads it', () => {
    const shapes: readonly ((text: string) => Json)[] = [
      (content) => wrap({ content }),
      (content) => wrap({ role: 'assistant', content }),
      (content) => wrap({ content, role: 'assistant' }, { service_tier: 'default', obfuscation: content }),
      (reasoning) => wrap({ content: null, reasoning }),
      (content) => wrap({ content, reasoning: content }),
      (content) => wrap({ content, tool_calls: [{ index: 0, id: content, function: { name: 'f', arguments: '' } }] }),
      (text) => wrap({ content: [{ type: 'text', text }] }),
      (content) => ({ choices: [{ delta: { content }, index: 0, logprobs: { content: [{ token: content }] } }] }),
    ]
    const kind = fc.record({
      shape: fc.constantFrom(...shapes),
      indent: fc.constantFrom(0, 1),
      isAscii: fc.boolean(),
      words: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.constantFrom('a', 'assistant', 'stop', 'content', 'default', 'probe', '"', '\\', 'null'),
      ),
    })
    const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    const events = fc.array(kind, { minLength: 2, maxLength: 4 }).map((kinds) =>
      kinds.map(({ shape, indent, isAscii, words }) => {
        const json = JSON.stringify(shape(words), null, indent)
        return isAscii ? json.replaceAll(/[\u0080-\uffff]/g, escapeUnit) : json
      }),
    )
    let alike = 0
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.nat()), (kinds, order) => {
        const templates = new ChunkTemplates()
        for (const turn of order.take(40)) {
          const data = kinds[turn % kinds.length] as string
          const read = templates.read(data)
          if (read === null) learn(templates, data)
          else expect(read).toEqual(readWhole(data))
          alike += read === null ? 0 : 1
        }
      }),
      { numRuns: 200 },
    )
    expect(alike).toBeGreaterThan(0)
  })

  test('one is found again after chunks of which each had another shape', () => {
    const templates = new ChunkTemplates()
    const readOrLearn = (data: string): boolean => {
      const isRead = templates.read(data) !== null
      if (!isRead) learn(templates, data)
      return isRead
    }
    for (let created = 0; created < 100; created++) {
      expect(readOrLearn(JSON.stringify(wrap({ content: 'a' }, { created })))).toBe(false)
    }
    const served = Array.from({ length: 400 }, () => readOrLearn(chunkOf('a'))).filter(Boolean)
    expect(served.length).toBeGreaterThan(100)
  })
})
