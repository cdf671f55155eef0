/**
 * `npm run chaos:deposits -- --kills N --seed S --database sqlite|postgres --processes P --database-url URL`
 *
 * Kills gateways while payments arrive on a chain. Exit code 1 when a balance is not what was paid, or the audit finds
 * anything.
 */
import { freshSeed, readOptions } from '../rig/options.ts'
import { runDepositChaos } from './run-deposit-chaos.ts'

const options = readOptions({
  ...{ kills: '20', seed: freshSeed(), database: 'sqlite', processes: '2', 'database-url': null },
})
const engine = options.text('database') === 'postgres' ? 'postgres' : 'sqlite'
const [kills, seed] = [options.number('kills'), options.number('seed')]
const processes = engine === 'sqlite' ? 1 : options.number('processes', 1)
const repeat = `--kills ${kills} --seed ${seed} --database ${engine} --processes ${processes}`
console.log(`chaos of deposits on ${engine}: npm run chaos:deposits -- ${repeat}`)

const report = await runDepositChaos({
  ...{ engine, seed, kills, processes, postgresUrl: options.text('database-url') },
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
