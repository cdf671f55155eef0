/**
 * `npm run chaos:deposits`: kills gateways while payments arrive on a chain. Exit code 1 when a balance is not what was
 * paid, or the audit finds anything.
 */
import { readOptions } from '../../packages/server/src/read-options.ts'
import { wholeNumber } from '../../packages/server/src/runtime/program-options.ts'
import { seedOption, storageOptions } from '../rig/options.ts'
import { runDepositChaos } from './run-deposit-chaos.ts'

const options = readOptions({
  name: 'npm run chaos:deposits --',
  does: 'Kills gateways while payments arrive on a chain, and compares balances with what was paid.',
  options: {
    kills: wholeNumber({ help: 'how often a gateway is killed', otherwise: 20 }),
    processes: wholeNumber({ help: 'gateways at a time, on PostgreSQL', otherwise: 2, from: 1 }),
    seed: seedOption('decides payments and moments of the kills'),
    ...storageOptions,
  },
})
const { kills, seed, database: engine } = options
const processes = engine === 'sqlite' ? 1 : options.processes
const repeat = `--kills ${kills} --seed ${seed} --database ${engine} --processes ${processes}`
console.log(`chaos of deposits on ${engine}: npm run chaos:deposits -- ${repeat}`)

const report = await runDepositChaos({
  ...{ engine, seed, kills, processes, postgresUrl: options['database-url'] },
  onKill: (done) => {
    if (done % 10 === 0) console.log(`${done} of ${kills} kills`)
  },
})
console.log(`${report.payments} transfers, ${report.claims} claims answered`)
for (const difference of report.differences) console.log(`DIFFERENCE  ${difference}`)
if (report.audit.exitCode !== 0) console.log(report.audit.text)
const isClean = report.differences.length === 0 && report.audit.exitCode === 0
console.log(isClean ? 'Every promise was kept.' : `BROKEN. Repeat with: npm run chaos:deposits -- ${repeat}`)
process.exitCode = isClean ? 0 : 1
