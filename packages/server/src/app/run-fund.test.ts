import { expect, test } from 'vitest'
import { runFund } from './run-fund.ts'

async function fund(...words: string[]) {
  const printed: string[] = []
  const print = (line: string): void => void printed.push(line)
  // Neither a key nor a chain is there: the command line is looked at before either.
  const code = await runFund(words, { env: { SVC_DATA_DIR: '/nowhere' }, print, printError: print })
  return { code, printed }
}

test.each([
  ['usdg', '0', 6],
  ['usdg', '0.000', 6],
  ['usdg', '-1', 6],
  ['usdg', '1e3', 6],
  ['usdg', 'much', 6],
  ['usdg', '1.0000001', 6],
  ['eth', '0.0000000000000000001', 18],
])('--%s %s is refused before anything is sent', async (asset, amount, decimals) => {
  const allowed = `Give an amount above 0 with at most ${decimals} decimals, such as 25 or 0.01.`
  expect(await fund(`--${asset}`, amount)).toEqual({
    code: 2,
    printed: [`error: option '--${asset} <amount>' argument '${amount}' is invalid. ${allowed}`],
  })
})

test('two amounts are refused, and one is taken', async () => {
  expect(await fund('--usdg', '1', '--eth', '1')).toMatchObject({ code: 2 })
  const { code, printed } = await fund('--eth', '0.01')
  expect(code).toBe(1)
  expect(printed).toEqual([expect.stringContaining('error: There is no demo key in /nowhere: start the sandbox')])
})
