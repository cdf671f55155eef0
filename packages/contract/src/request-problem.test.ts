import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { consoleEndpointList } from './console-endpoints.ts'
import { endpointList } from './endpoints.ts'
import { imageRequest } from './images.ts'
import { recordId } from './record-id.ts'
import { requestProblem } from './request-problem.ts'
import { videoRequest } from './videos.ts'

function problemOf(schema: z.ZodType, value: unknown) {
  const { error } = schema.safeParse(value)
  return error === undefined ? null : requestProblem(error, value)
}

/** All schemas inside of a schema, each once. */
function schemasIn(root: z.core.$ZodType): Set<z.core.$ZodType> {
  const found = new Set<z.core.$ZodType>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (value instanceof z.core.$ZodType) {
      if (found.has(value)) return
      found.add(value)
      Object.values(value._zod.def).forEach(visit)
    } else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      Object.values(value).forEach(visit)
    }
  }
  visit(root)
  return found
}

function patternChecks(root: z.core.$ZodType): z.core.$ZodCheckRegexDef[] {
  return [...schemasIn(root)]
    .flatMap((schema) => schema._zod.def.checks ?? [])
    .map((check) => check._zod.def as z.core.$ZodCheckRegexDef)
    .filter((def) => def.format === 'regex')
}

const requests = [...endpointList, ...consoleEndpointList].flatMap(({ id, request }) =>
  Object.entries(request).flatMap(([part, schema]) =>
    schema instanceof z.core.$ZodType ? [[`${part} of ${id}`, schema] as const] : [],
  ),
)

describe('what is wrong with a text that does not fit a pattern', () => {
  test('is said in a sentence for every field of every request', () => {
    const checks = requests.flatMap(([name, schema]) => patternChecks(schema).map((def) => [name, def] as const))
    expect(checks.length).toBeGreaterThan(10)
    for (const [name, { error, pattern }] of checks) {
      const said = error?.({} as never)
      const message = typeof said === 'string' ? said : (said?.message ?? '')
      expect(message, `${name}: ${String(pattern)}`).toMatch(/^expected .*\.$/)
    }
  })

  test('is never the pattern, also where no sentence was written', () => {
    const problem = problemOf(z.object({ name: z.string().regex(/^a+$/) }), { name: 'b' })
    expect(problem?.message).toBe("Invalid value for 'name': expected another form.")
  })

  test.each([
    [imageRequest, { size: '17x3' }, "'size': expected pixels such as '1024x1024', a tier such as '2K', or 'auto'."],
    [imageRequest, { aspect_ratio: 'wide' }, "'aspect_ratio': expected a ratio such as '16:9', or 'auto'."],
    [videoRequest, { size: 'big' }, "'size': expected pixels, such as '1280x720'."],
    [videoRequest, { seconds: 'long' }, "'seconds': expected whole seconds as text, such as '8'."],
  ])('has an example', (schema, fields, message) => {
    expect(problemOf(schema, { model: 'm', prompt: 'p', ...fields })?.message).toBe(`Invalid value for ${message}`)
  })
})

describe('a value of another form in a query', () => {
  /** What any text may be, and what is looked up or compared as a whole: an unknown one is distinguished there. */
  const free = [
    'q',
    'model',
    'size',
    'quality',
    'resolution',
    'reason',
    'signature',
    'expires',
    'id',
    'after_id',
    'before_id',
  ]
  const freeHere = [
    'after of listTeamStatementEntries',
    // A column may have any name.
    ...['upstream', 'generation_id', 'cost_usd', 'created_at'].map((name) => `${name} of startReconciliation`),
  ]
  const parameters = [...endpointList, ...consoleEndpointList].flatMap(({ id, request }) =>
    'query' in request && request.query !== undefined
      ? Object.entries(request.query.shape).map(([name, schema]) => ({ name, of: `${name} of ${id}`, schema }))
      : [],
  )
  const formed = parameters.filter(({ name, of }) => !free.includes(name) && !freeHere.includes(of))

  test.each(['', 'garbage', '0x1', ' 1', '1e1', '~', '019ab0c1'])(
    'such as %j is refused by name everywhere',
    (value) => {
      expect(formed.length).toBeGreaterThan(30)
      const problems = formed.map(({ name, schema }) => problemOf(z.object({ [name]: schema }), { [name]: value }))
      expect(problems.map((problem) => [problem?.code, problem?.param])).toEqual(
        formed.map(({ name }) => ['invalid_value', name]),
      )
    },
  )

  test('is told apart from an id, written in either case, with or without what is shown before it', () => {
    const id = '019ab0c1-2d3e-7f40-8a5b-6c7d8e9f0a1b'
    const schema = recordId('a deposit', 'dep_')
    for (const given of [id, id.toUpperCase(), `dep_${id}`]) expect(schema.parse(given)).toBe(id)
    for (const given of [`vid_${id}`, `${id}0`, ` ${id}`, `dep_dep_${id}`]) {
      expect(problemOf(schema, given)?.message).toBe('expected the id of a deposit.')
    }
  })
})

test('values that a field may have are named as a client writes them', () => {
  const schema = z.object({ chainId: z.union([z.literal([4663, 46630])]), asset: z.enum(['USDG', 'ETH']) })
  const problem = problemOf(schema, { chainId: '4663', asset: 'USDG' })
  expect(problem?.message).toBe("Invalid value for 'chainId': expected one of 4663, 46630.")
  expect(problemOf(schema, { chainId: 4663, asset: 'usdg' })?.message).toMatch("expected one of 'USDG', 'ETH'.")
})
