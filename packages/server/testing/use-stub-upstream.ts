import { afterAll, beforeAll } from 'vitest'
import { createStubUpstream, type StubUpstream } from './stub-upstream.ts'

/**
 * Registers the hooks of a stub upstream that listens while the tests of this file or suite run. It can be told how to
 * answer at once; its address is known from the next hook on.
 */
export function useStubUpstream(): StubUpstream {
  const stub = createStubUpstream()
  beforeAll(() => stub.listen())
  afterAll(() => stub.close())
  return stub
}
