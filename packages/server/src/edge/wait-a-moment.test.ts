import { expect, test } from 'vitest'
import { waitAMoment } from './wait-a-moment.ts'

test('an answer waits for what is kept of it, and leaves where that takes too long', async () => {
  let isKept = false
  await waitAMoment(Promise.resolve().then(() => void (isKept = true)))
  expect(isKept).toBe(true)
  await waitAMoment(new Promise(() => undefined))
})
