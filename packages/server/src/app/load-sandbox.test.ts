import { expect, test } from 'vitest'
import { findSandbox, loadSandbox } from './load-sandbox.ts'

const missing = (name: string) => (): Promise<never> => {
  const error = new Error(`Cannot find package '${name}' imported from /srv/svc/load-sandbox.ts`)
  return Promise.reject(Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' }))
}

test('an installation without the sandbox starts with another upstream, and says what is missing for this one', async () => {
  expect(await findSandbox(missing('@svc/sandbox'))).toBeNull()
  await expect(loadSandbox(() => findSandbox(missing('@svc/sandbox')))).rejects.toThrow(
    /@svc\/sandbox is not installed/,
  )
})

test('a sandbox that is there and broken is no missing one', async () => {
  await expect(findSandbox(missing('undici'))).rejects.toThrow(/undici/)
})
