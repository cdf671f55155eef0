import { expect, test } from 'vitest'
import type { Catalog } from './catalog.ts'
import { createCatalog } from './catalog.ts'
import type { Model } from './model.ts'
import { loadSnapshot } from './snapshot.ts'
import { unknownModel } from './unknown-model.ts'

const shape: Model = {
  ...{ id: '', upstream: 'main', upstreamModel: '', type: 'text', featured: false, name: '', description: null },
  ...{ ownedBy: '', created: 0, contextLength: null, maxOutputTokens: null, inputModalities: [], outputModalities: [] },
  ...{ supportedParameters: [], price: null, aliases: [], aliasFor: null, media: null, route: null },
  confidential: false,
  promptTraining: null,
}

const aliases = ['svc-gpt', 'svc-claude', 'svc-image'].map((id): Model => ({ ...shape, id, featured: true }))
const listed = loadSnapshot().rows.map(({ id }): Model => ({ ...shape, id: `openrouter/${id}` }))
const catalog: Catalog = createCatalog({
  listed: [...aliases, ...listed],
  unlisted: [{ ...shape, id: 'svc-sandbox/cut' }],
  prefix: 'openrouter/',
  updatedAt: 0,
  findUnknown: () => null,
})

function said(id: string, allowed: readonly string[] | null = null): string {
  return unknownModel(catalog, { id, allowed, type: null, param: 'model' }).message
}

test.each([
  ['svc-gtp', 'svc-gpt'],
  ['SVC-GPT', 'svc-gpt'],
  ['svc-imag', 'svc-image'],
  ['gpt-image-1', 'openrouter/openai/gpt-image-1'],
  ['whisper-1', 'openrouter/openai/whisper-1'],
  ['openai/gpt-imag-1', 'openrouter/openai/gpt-image-1'],
])('of %s it is said that %s was likely meant', (id, meant) => {
  expect(catalog.find(id)).toBeNull()
  expect(said(id)).toBe(
    `The model \`${id}\` does not exist or you do not have access to it. Did you mean \`${meant}\`? ` +
      'GET /v1/models lists those that there are.',
  )
})

test.each(['no-such-model-at-all', 'svc-sandbox/cut2', 'x'.repeat(65), 'svc-gtp'.padEnd(256, '-')])(
  'nothing is near %s, and unlisted models are not named',
  (id) => {
    expect(said(id)).not.toContain('Did you mean')
  },
)

test('models that the key may not use are not named', () => {
  expect(said('svc-gtp', ['svc-claude'])).not.toContain('Did you mean')
  expect(said('svc-gtp', ['svc-claude', 'svc-gpt'])).toContain('`svc-gpt`')
  expect(said('gpt-image-1', ['openai/gpt-image-1'])).toContain('`openrouter/openai/gpt-image-1`')
})

test('a request for one kind of model is shown the list of that kind', () => {
  const { message } = unknownModel(catalog, { id: 'tts-1', type: 'speech', allowed: null, param: 'model' })
  expect(message).toContain('GET /v1/models?type=speech lists')
})
