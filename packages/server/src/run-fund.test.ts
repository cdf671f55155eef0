import { expect, test } from 'vitest'
import { runFund } from './run-fund.ts'

test.each(['0', '0.000', '-1', '1e3', 'much'])('an amount of %s is refused before anything is sent', async (amount) => {
  const printed: string[] = []
  const code = await runFund([`--usdg=${amount}`], {
    // Neither a key nor a chain is there: the amount is looked at before either.
    env: { SVC_DATA_DIR: '/nowhere' },
    print: (line) => void printed.push(line),
  })
  expect(code).toBe(1)
  expect(printed).toEqual(['Give an amount above 0 as a decimal, such as 25 or 0.01.'])
})
