import { describe, expect, test } from 'vitest'
import type { ChatUsage } from '../pricing/price.ts'
import { believeUsage, type Counted, saysAll } from './believed-usage.ts'

const usageOf = (promptTokens: number, completionTokens: number, more: Partial<ChatUsage> = {}): ChatUsage => ({
  ...{ promptTokens, completionTokens, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  ...more,
})

/** 10,000 bytes were delivered, which are 2,500 tokens by our count. */
const counted = (more: Partial<Counted> = {}): Counted => ({
  ...{ promptTokens: 20, outputBytes: 10_000, laterBytes: 0, limit: null, contextLength: null },
  ...{ isWhole: true, showsReasoning: false, choices: 1 },
  ...more,
})

function believed(usage: ChatUsage, more: Partial<Counted> = {}, lacks?: 'prompt' | 'output') {
  const { usage: found, isReported } = believeUsage({ usage, lacks, cost: null, wire: null }, counted(more))
  return [found.promptTokens, found.completionTokens, isReported]
}

describe('a count of output', () => {
  test.each<[string, number, Partial<Counted>, readonly [number, boolean]]>([
    ['that any tokenizer can have made is believed', 2_000, {}, [2_000, true]],
    ['of a text of blanks is believed: a token covers 128 of them', 78, {}, [78, true]],
    ['that no tokenizer can have made is none', 77, {}, [2_500, false]],
    ['of nothing is none where there is text', 0, {}, [2_500, false]],
    ['of nothing is none however short the text is', 0, { outputBytes: 5 }, [2, false]],
    ['of one is believed where there is next to no text', 1, { outputBytes: 127 }, [1, true]],
    ['of nothing is believed where there is no text, as for an image', 0, { outputBytes: 0 }, [0, true]],
    [
      'of little is none where an image came of an answer that broke off',
      3,
      { outputBytes: 10, media: { audioBytes: 0, images: 1 }, isWhole: false },
      [1_293, false],
    ],
    [
      'that explains such an image is believed',
      1_120,
      { outputBytes: 10, media: { audioBytes: 0, images: 1 }, isWhole: false },
      [1_120, true],
    ],
    ['longer than every window is none', 2_097_153, {}, [2_500, false]],
    [
      'longer than that is believed of a model with such a window',
      9_000_000,
      { contextLength: 10_000_000 },
      [9_000_000, true],
    ],
    ['of several choices is compared with as many windows', 4_000_000, { choices: 2 }, [4_000_000, true]],
    ['before the last of the output is of what was before it', 1, { laterBytes: 9_999 }, [2_501, false]],
    ['before the output that explains all of it is believed', 2_500, { laterBytes: 10_000 }, [2_500, true]],
    ['of an answer that broke off after it is completed', 2_500, { laterBytes: 4_000, isWhole: false }, [3_500, false]],
    ['is completed within the limit', 10, { laterBytes: 9_000, limit: 2_000 }, [2_000, false]],
  ])('%s', (_promise, completionTokens, more, expected) => {
    expect(believed(usageOf(10, completionTokens), more)).toEqual([10, ...expected])
  })

  test('that is missing is our own, and hidden thoughts that were counted stay charged', () => {
    expect(believed(usageOf(10, 0), { laterBytes: 10_000 }, 'output')).toEqual([10, 2_500, false])
    const thoughts = usageOf(10, 500, { reasoningTokens: 500 })
    expect(believed(thoughts, { laterBytes: 10_000 }, 'output')).toEqual([10, 3_000, false])
    // What was said beside the thoughts was not counted.
    expect(believed(thoughts)).toEqual([10, 3_000, false])
    expect(believed(thoughts, { showsReasoning: true })).toEqual([10, 500, true])
    expect(believed(usageOf(10, 50_000, { reasoningTokens: 48_000 }), { limit: 100 })).toEqual([10, 50_000, true])
  })
})

describe('a count of the prompt', () => {
  test('longer than every window is none, and neither are its parts', () => {
    const usage = usageOf(5_000_010, 2_000, { cachedTokens: 5_000_000 })
    const report = { usage, cost: null, wire: null }
    expect(believeUsage(report, counted())).toEqual({
      usage: expect.objectContaining({ promptTokens: 20, cachedTokens: 0, completionTokens: 2_000 }),
      isReported: false,
    })
    expect(believed(usage, { contextLength: 10_000_000 })).toEqual([5_000_010, 2_000, true])
  })

  test('that is missing is our own', () => {
    expect(believed(usageOf(0, 2_000), {}, 'prompt')).toEqual([20, 2_000, false])
  })
})

test('a cost is looked up for what was not counted, unless the report names all of it', () => {
  const whole = { usage: usageOf(10, 2_000), cost: null, wire: null }
  const cost = 1n as never
  expect(saysAll(whole, counted())).toBe(true)
  expect(saysAll({ ...whole, usage: usageOf(10, 1) }, counted())).toBe(false)
  expect(saysAll({ ...whole, usage: usageOf(10, 1), cost }, counted())).toBe(true)
  expect(saysAll({ ...whole, usage: usageOf(10, 1), cost, isCostPartial: true }, counted())).toBe(false)
  expect(saysAll({ ...whole, usage: null }, counted())).toBe(false)
})
