/**
 * Composition root of `npm run fund`: pays the demo account on a local chain and follows the payment through the
 * gateway's own API until it is credited. Never imported.
 */
import { scrubArguments } from '@svc/contract'
import { prepareProcess } from './app/prepare-process.ts'
import { writeLine } from './platform/runtime/write-line.ts'

prepareProcess(process.env, 'uses')
const { runFund } = await import('./app/run-fund.ts')
process.exitCode = await runFund(process.argv.slice(2), {
  env: process.env,
  print: (line) => writeLine(process.stdout, line),
  printError: (line) => writeLine(process.stderr, scrubArguments(line)),
})
