/** Fields by which a request would make more work than is held for, at any depth and in any writing. */
import { chatRequest } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { scanMembers } from '../platform/json/json-body.ts'
import { dialectFields } from '../upstreams/work-fields/field-table.ts'
import { besideTokens, refuseBeyond, withinBound } from './within-bound.ts'
import { WorkGuard } from './work-guard.ts'

const guard = new WorkGuard('chat', Object.keys(chatRequest.shape))
const bound = { tokens: 10, answers: 1 }

const bodyOf = (text: string) => ({
  text: Buffer.from(text),
  value: JSON.parse(text) as Record<string, unknown>,
  members: scanMembers(Buffer.from(text)),
})
/** What goes upstream in place of a body. */
const sent = (text: string, within = bound): string => {
  const body = bodyOf(text)
  return withinBound(body, guard.readBody(body), within).text.toString()
}
const refusal = (text: string, within = bound): string | null => {
  try {
    sent(text, within)
    return null
  } catch (error) {
    const { code, param } = error as { code: string; param: string }
    return `${code} ${param}`
  }
}

const general = dialectFields.filter(({ modalities }) => modalities === undefined)
const namesOf = (kind: string): string[] => [
  ...new Set(
    general.flatMap(({ fields }) => Object.entries(fields).flatMap(([name, of]) => (of === kind ? [name] : []))),
  ),
]

test('every list names its source', () => {
  for (const { dialect, source } of dialectFields) expect(`${dialect}: ${source}`).toMatch(/: .*(?:https?:\/\/|\/)\S+/)
})

describe.each(namesOf('limit').filter((name) => !(name in chatRequest.shape)))('%s', (name) => {
  test.each([
    '50000',
    '"50000"',
    '5e4',
    '50000.0',
    '"5e4"',
    '"50_000"',
    '-1',
    '0',
    '1e400',
    '"0xC350"',
    '[50000]',
    '{}',
    'true1',
  ])('is the limit, and %s becomes the bound', (value) => {
    const written = value === 'true1' ? '"no end"' : value
    expect(sent(`{"model":"m","${name}":${written},"x":1.0}`)).toBe(`{"model":"m","${name}":10,"x":1.0}`)
    expect(sent(`{"options":{"a":1e0,"${name}":${written}}}`)).toBe(`{"options":{"a":1e0,"${name}":10}}`)
  })
  test('stays as it is within the bound, and where it is absent', () => {
    for (const value of ['5', '10', '"7"', 'null', '9.0']) {
      const text = `{ "${name}" : ${value}, "options":{"${name}":${value}} }`
      expect(sent(text)).toBe(text)
    }
  })
  test('is the same in every spelling', () => {
    const camel = name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
    for (const spelling of [name.toUpperCase(), camel, name.replaceAll('_', '-'), name.replace('a', '\\u0061')]) {
      expect(sent(`{"options":{"${spelling}":50000}}`)).toBe(`{"options":{"${spelling}":10}}`)
    }
  })
})

test.each([
  ['{"parameters":{"max_tokens":50000}}', '{"parameters":{"max_tokens":10}}'],
  [
    '{"generation_config":{"thinking_config":{"thinking_budget_tokens":99}}}',
    '{"generation_config":{"thinking_config":{"thinking_budget_tokens":10}}}',
  ],
  ['{"nvext":{"max_thinking_tokens":99}}', '{"nvext":{"max_thinking_tokens":10}}'],
  ['{"thinking":{"type":"enabled","budget_tokens":99}}', '{"thinking":{"type":"enabled","budget_tokens":10}}'],
  ['{"reasoning":{"max_tokens":99}}', '{"reasoning":{"max_tokens":10}}'],
  ['{"a":{"n_predict":99},"b":{"c":{"n_predict":99}}}', '{"a":{"n_predict":10},"b":{"c":{"n_predict":10}}}'],
  ['{"__proto__":{"n_predict":99}}', '{"__proto__":{"n_predict":10}}'],
])('%s goes on as %s', (text, expected) => {
  expect(sent(text)).toBe(expected)
})

test.each([
  ...namesOf('answers')
    .filter((name) => name !== 'n')
    .flatMap((name) => [`{"${name}":2}`, `{"options":{"${name}":"2"}}`]),
  ...namesOf('beams').map((name) => `{"${name}":4}`),
  ...namesOf('probabilities').map((name) => `{"${name}":100000}`),
  ...namesOf('least').map((name) => `{"${name}":11}`),
  ...[...namesOf('work'), ...namesOf('search'), ...namesOf('route')].flatMap((name) => [
    ...(name in chatRequest.shape ? [] : [`{"${name}":"x"}`]),
    `{"a":{"${name}":"x"}}`,
  ]),
  '{"options":{"n":5}}',
  '{"web_search_options":{}}',
  '{"plugins":[{"id":"web"}]}',
  '{"service_tier":"priority"}',
  '{"options":{"model":"other"}}',
  '{"requests":[{"max_tokens":50000}]}',
])('%s is refused by name', (text) => {
  expect(refusal(text)).toMatch(/^unsupported_parameter \w/)
})

test.each([
  ['max_reply_tokens', '11'],
  ['max_reply_tokens', '"11"'],
  ['max_reply_tokens', '-1'],
  ['answerLength', '50000'],
  ['num_candidates', '2'],
  ['candidate-count', '2'],
  ['n_rollouts', '2'],
  ['decode.steps', '500'],
  ['limit', '1e9'],
])('the unknown length or count %s of %s is refused above the bound', (name, value) => {
  expect(refusal(`{"${name}":${value}}`)).toBe(`unsupported_parameter ${name}`)
  expect(refusal(`{"x":{"y":{"${name}":${value}}}}`)).toBe(`unsupported_parameter x.y.${name}`)
  expect(refusal(`{"${name}":1}`)).toBeNull()
})

test.each([
  '{"min_tokens":10,"repeat_last_n":4096,"num_ctx":131072,"truncate_prompt_tokens":100000,"seed":99999999999999999999}',
  '{"options":{"num_ctx":131072,"repeat_last_n":-1,"num_gpu":99,"num_keep":4096,"num_predict":-0.0e0}}'.replace(
    ',"num_predict":-0.0e0',
    '',
  ),
  '{"stop_token_ids":[50256,100257],"allowed_token_ids":[50256],"top_k":100000,"logit_bias":{"50256":-100}}',
  '{"best_of":1,"num_beams":1,"use_beam_search":false,"prompt_logprobs":null,"echo":false,"top_logprobs":20,"logprobs":true}',
  '{"metadata":{"max_tokens":"999999","n":"5"},"tools":[{"function":{"parameters":{"properties":{"max_tokens":{"maximum":1e9}}}}}]}',
  '{"response_format":{"json_schema":{"schema":{"maxLength":100000,"minItems":5000}}},"guided_json":{"maxLength":99999}}',
  '{"enable_search":false,"search_parameters":null,"lora":[],"priority":0,"id_slot":-1,"service_tier":"auto","extra_body":{}}',
  '{"created_at":1795932924,"session_id":"500000","request_timeout":60000,"user_seed":1e12,"cache_prompt":true}',
  '{"chat_template_kwargs":{"thinking_budget":4096,"enable_thinking":true},"prompt_cache_max_len":65536,"ttl":3600}',
  '{"max_price":5000,"n_cache_reuse":256,"top_n_sigma":1.0,"dry_penalty_last_n":4096,"output_format":"png"}',
])('%s changes nothing and goes on byte for byte', (text) => {
  expect(sent(text)).toBe(text)
})

test.each([
  ['{"options":{"n_predict":5,"n_predict":50000}}', 'options.n_predict'],
  ['{"options":{"n_predict":50000,"n_predict":5}}', 'options.n_predict'],
  ['{"a":{"options":{"n_predict":50000},"options":{}}}', 'a.options'],
  ['{"a":{"options":{},"options":{"n_predict":50000}}}', 'a.options'],
  ['{"a":{"options":{"n_predict":5},"x":1,"x":2,"options":null}}', 'a.options'],
  ['{"options":{"n_predict":5,"n_predict":null}}', 'options.n_predict'],
  ['{"options":{"ignore_eos":true,"ignore_eos":false}}', 'options.ignore_eos'],
  ['{"requests":[{"x":1},{"max_tokens":50000,"max_tokens":5}]}', 'requests.1.max_tokens'],
])('%s: a field that is compared may not appear twice', (text, param) => {
  expect(refusal(text)).toBe(`invalid_value ${param}`)
})

test('a field that is not compared may appear twice within an object', () => {
  const text = '{"x":{"a":1,"a":{"b":2}}}'
  expect(sent(text)).toBe(text)
})

test('a limit beside a doubled field that is not compared is lowered', () => {
  expect(sent('{"x":{"a":1,"a":2,"n_predict":99,"b":{"n_predict":99}},"y":1}')).toBe(
    '{"x":{"a":1,"a":2,"n_predict":10,"b":{"n_predict":10}},"y":1}',
  )
})

describe('the time that a body takes is that of its length', () => {
  const cpuMs = (work: () => unknown): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  /** Objects of the same key within each other. */
  const doubled = (wide: number, deep: number, innermost: string): string => {
    let text = innermost
    for (let level = 0; level < deep; level++) text = `{${Array.from({ length: wide }, () => `"a":${text}`).join(',')}}`
    return text
  }

  test.each([
    ['a doubled key seven times at each of five levels', `{"options":${doubled(7, 5, '1')}}`],
    ['the same in lists', `{"options":[${doubled(9, 4, '1')},${doubled(9, 4, '1')}]}`],
    ['a doubled key of long texts', `{"options":${doubled(3, 5, `"${'a'.repeat(100_000)}"`)}}`],
  ])('%s', (_what, text) => {
    expect(cpuMs(() => sent(text))).toBeLessThan(1_000)
  })

  test('thousands of limits that are lowered', () => {
    const limits = (limit: number): string =>
      `{"x":{${Array.from({ length: 9_000 }, (_none, at) => `"o${at}":{"n_predict":${limit}}`).join(',')}},"y":"${'z'.repeat(3_000_000)}"}`
    expect(cpuMs(() => expect(sent(limits(50_000)) === limits(10)).toBe(true))).toBeLessThan(2_000)
  })

  test('thousands of thoughts', () => {
    const text = `{"x":[${Array.from({ length: 19_000 }, () => '{"thinking_budget":4}').join(',')}]}`
    expect(besideTokens(guard.readBody(bodyOf(text)), 10)).toBe(4)
  })

  test.each([
    ['in one list', `{"x":[${Array.from({ length: 140_000 }, () => '{"thinking_budget":4}').join(',')}]}`],
    ['in several objects', `{"a":1,"x":${doubled(10, 5, 'null')}}`],
  ])('members beyond what any server reads are refused %s', (_what, text) => {
    expect(cpuMs(() => expect(refusal(text)).toBe('invalid_value x'))).toBeLessThan(500)
  })
})

test('thoughts that the limit does not count are held for beside it', () => {
  const work = (text: string) => guard.readBody(bodyOf(text))
  expect(besideTokens(work('{"thinking_budget":4}'), 10)).toBe(4)
  expect(besideTokens(work('{"thinking_budget":4000}'), 10)).toBe(10)
  expect(besideTokens(work('{"thinking_budget":-1}'), 10)).toBe(10)
  expect(besideTokens(work('{"thinking_budget":0}'), 10)).toBe(0)
  expect(sent('{"thinking_budget":4000}')).toBe('{"thinking_budget":10}')
  const prediction = { type: 'content', content: 'x'.repeat(100) }
  expect(besideTokens(work(JSON.stringify({ prediction })), 10)).toBeGreaterThan(100)
})

test('an answer that is made to run on gets a limit', () => {
  const needs = (text: string) => guard.readBody(bodyOf(text)).needsLimit
  expect([needs('{"ignore_eos":true}'), needs('{"n_predict":5}'), needs('{"min_tokens":5}')]).toEqual([
    true,
    true,
    true,
  ])
  expect([needs('{"ignore_eos":false}'), needs('{"top_k":5}'), needs('{"reasoning":{"max_tokens":5}}')]).toEqual([
    ...[false, false, false],
  ])
})

test('a list of a million unknown fields costs little', () => {
  const deep = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`
  const text = `{"x":${deep},"y":[${Array.from({ length: 10_000 }, (_none, at) => `{"k${at}":${at}}`).join(',')}]}`
  expect(sent(text)).toBe(text)
})

describe('media', () => {
  const images = new WorkGuard('image', ['prompt', 'model', 'n', 'size'])
  test('other names of the count of images are left out, since `n` is always sent', () => {
    expect(images.withoutRenders({ num_images: 9, batchSize: 4, guidance: 3 })).toEqual({ guidance: 3 })
  })
  test.each(['steps', 'num_inference_steps', 'width', 'loras', 'frame_count'])('%s would change the price', (name) => {
    expect(() => images.readFields({ [name]: 50 })).toThrow(expect.objectContaining({ param: name }))
  })
  test('an unknown count of images is refused above the one that is held for', () => {
    const work = images.readFields({ picture_count: 3 })
    expect(() => refuseBeyond(work, { tokens: Infinity, answers: 2 })).toThrow(/picture_count/)
    expect(() => refuseBeyond(work, { tokens: Infinity, answers: 3 })).not.toThrow()
  })
  test.each([
    ['input', 'num_outputs'],
    ['parameters', 'sampleCount'],
    ['options', 'num_images'],
    ['options', 'batch_size'],
    ['config', 'n'],
    ['body', 'N'],
  ])('a count within %s is refused, since nothing takes it out there: %s', (holder, name) => {
    const param = `${holder}.${name}`
    expect(() => images.readFields({ [holder]: { [name]: 10 } })).toThrow(expect.objectContaining({ param }))
    expect(() => images.readFields({ [holder]: { [name]: '10' } })).toThrow(expect.objectContaining({ param }))
    expect(() => images.readFields({ [holder]: { [name]: 1 } })).not.toThrow()
    expect(() => images.readForm({ [holder]: `{"${name}":10}` })).toThrow(expect.objectContaining({ param }))
    expect(() => images.readForm({ [`${holder}[${name}]`]: '10' })).toThrow(expect.objectContaining({ param }))
    expect(() => images.readForm({ [param]: '10' })).toThrow(expect.objectContaining({ param }))
  })
  test('a field of a form that is no object is read as the text that it is', () => {
    for (const text of ['[no list', '{}', '[]', '{"a":', 'A boat.']) {
      expect(() => images.readForm({ style_notes: text })).not.toThrow()
    }
    expect(() => images.readForm({ deep: '['.repeat(60_000) })).toThrow(/levels/)
  })
})
