import { expect, test } from 'vitest'
import {
  inOrder,
  matches,
  type Model,
  providerOf,
  secondsText,
  shareText,
  type Speed,
  unitPriceOf,
} from './model-list.ts'

interface Parts {
  readonly id?: string
  readonly unit?: string | null
  readonly type?: string
  readonly perUnit?: string | null
  readonly output?: string | null
  readonly context?: number | null
  readonly alias?: string | null
  readonly takes?: readonly string[]
}

function model(parts: Parts = {}): Model {
  const { id = 'acme/one', unit = null, type = 'text', perUnit = null, output = null, alias = null } = parts
  return {
    ...{ id, name: id, owned_by: 'owner', created: 0, context_length: parts.context ?? null },
    architecture: { input_modalities: parts.takes ?? ['text'], output_modalities: ['text'] },
    supported_parameters: ['tools'],
    svc: {
      ...{ type, unit, credits_per_unit: perUnit, credits_per_1m_output: output, credits_per_1m_input: output },
      ...{ aliases: [], alias_for: alias, prompt_training: null },
    },
  } as unknown as Model
}

test.each([
  [{ unit: 'character', type: 'speech', perUnit: '0.000018' }, '18', '1M characters'],
  [{ unit: 'second', type: 'transcription', perUnit: '0.12' }, '7.2', 'minute'],
  [{ unit: 'second', type: 'video', perUnit: '120' }, '120', 'second'],
  [{ unit: 'image', type: 'image', perUnit: '48.5' }, '48.5', 'image'],
])('a price of media is said by what people think in: %j', (parts, credits, per) => {
  expect(unitPriceOf(model(parts))).toEqual({ credits, per })
})

test('what has no value comes last, whichever way the column goes', () => {
  const list = [model({ id: 'none' }), model({ id: 'dear', output: '20' }), model({ id: 'cheap', output: '3.5' })]
  const order = (isDown: boolean) =>
    inOrder(list, { sort: 'output', isDown, speeds: new Map<string, Speed>() }).map(({ id }) => id)
  expect(order(false)).toEqual(['cheap', 'dear', 'none'])
  expect(order(true)).toEqual(['dear', 'cheap', 'none'])
})

test('filters narrow together, and a price is compared exactly', () => {
  const one = model({ output: '3.000000001', context: 128_000, takes: ['text', 'image'] })
  expect(matches(one, { takes: 'image', parameter: 'tools', context: 128_000, provider: 'acme' })).toBe(true)
  expect(matches(one, { price: '3.000000001' })).toBe(true)
  const others: Parameters<typeof matches>[1][] = [{ takes: 'audio' }, { parameter: 'seed' }, { context: 200_000 }]
  for (const filter of [...others, { price: '3' }]) expect(matches(one, filter)).toBe(false)
})

test('an alias has the provider of the model that it leads to', () => {
  expect(providerOf(model({ id: 'svc-fast', alias: 'globex/two' }))).toBe('globex')
  expect(providerOf(model({ id: 'plain' }))).toBe('owner')
})

test('the prefix of a catalog is the provider of none', () => {
  expect(providerOf(model({ id: 'openrouter/globex/two' }))).toBe('globex')
  expect(providerOf(model({ id: 'svc-fast', alias: 'openrouter/acme/one' }))).toBe('acme')
})

test('99.96 % is not said to be all', () => {
  expect([shareText(0.9996), shareText(1)]).toEqual(['99.9 %', '100 %'])
  expect([secondsText(423), secondsText(12_340), secondsText(null)]).toEqual(['0.42 s', '12 s', ''])
})
