import { consoleEndpointList } from './console-endpoints.ts'
import { consoleErrors } from './console/console-endpoint.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorCodesOf } from './endpoints/endpoint.ts'
import { endpointList } from './endpoints.ts'
import { errorCodes, type ErrorCode } from './error-codes.ts'

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [/^`(\w+)`/.exec(section)?.[1] ?? section.slice(0, 40), section]),
)

describe('docs/errors.md', () => {
  test('explains every code and no other', () => {
    expect([...sections.keys()].sort()).toEqual(Object.keys(errorCodes).sort())
  })

  test.each(Object.entries(errorCodes))('gives %s its status and type, who causes it and what to do', (code, row) => {
    const [, line = '', ...text] = (sections.get(code) ?? '').split('\n').filter((part) => part !== '')
    expect(line).toMatch(new RegExp(`^${row.status} · \`${row.type}\` · caused by (?:you|the operator|the upstream)$`))
    expect(text.join(' ').length).toBeGreaterThan(20)
  })
})

test('every code belongs to an endpoint or to a request that reaches none', () => {
  const reached = new Set<ErrorCode>([
    ...endpointList.flatMap((endpoint) => errorCodesOf(endpoint)),
    ...consoleEndpointList.flatMap(({ errors }) => errors),
    ...consoleErrors,
  ])
  const unreached = Object.keys(errorCodes).filter((code) => !reached.has(code as ErrorCode))
  expect(unreached).toEqual(['unknown_url'])
})
