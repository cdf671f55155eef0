import { expect, test } from 'vitest'
import { likelyPath } from './likely-path.ts'

const known = new Set(['/api/v1/models', '/api/v1/chat/completions', '/api/health'])
const likely = (path: string): string | null => likelyPath(path, (candidate) => known.has(candidate))

test.each([
  ['/v1/models', '/api/v1/models'],
  ['/models', '/api/v1/models'],
  ['/api/models', '/api/v1/models'],
  ['/api/v1/v1/models', '/api/v1/models'],
  ['/api/api/v1/models', '/api/v1/models'],
  ['/chat/completions', '/api/v1/chat/completions'],
  ['/health', '/api/health'],
  ['/api/v1/health', '/api/health'],
])('%s was meant for %s', (path, meant) => {
  expect(likely(path)).toBe(meant)
})

test.each(['/', '/v1', '/api', '/v2/models', '/v1/modelss', `/v1/${'v1/'.repeat(100)}models`])(
  '%s is near nothing',
  (path) => {
    expect(likely(path)).toBeNull()
  },
)
