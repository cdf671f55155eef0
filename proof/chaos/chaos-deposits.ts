/**
 * `npm run chaos:deposits`: kills gateways while payments arrive on a chain, and plays rounds in which nodes show less and
 * more of what was paid. Exit code 1 when a balance is not what was paid, or the audit finds anything.
 */
import { readOptions } from '../../packages/server/src/app/read-options.ts'
import { wholeNumber } from '../../packages/server/src/platform/runtime/program-options.ts'
import { seedOption, storageOptions } from '../rig/options.ts'
import { runDepositRounds } from './run-deposit-rounds.ts'
import { runDepositChaos } from './run-deposit-chaos.ts'

const options = readOptions({
  name: 'npm run chaos:deposits --',
  does: 'Kills gateways while payments arrive on a chain, and compares balances with what was paid.',
  options: {
    kills: wholeNumber({ help: 'how often a gateway is killed', otherwise: 20 }),
    rounds: wholeNumber({
      help: 'accounts whose payments are known by balance and by transaction in turns',
      otherwise: 50,
    }),
    processes: wholeNumber({ help: 'gateways at a time, on PostgreSQL', otherwise: 2, from: 1 }),
    seed: seedOption('decides payments and moments of the kills'),
    ...storageOptions,
  },
})
const { kills, rounds, seed, database: engine } = options
const processes = engine === 'sqlite' ? 1 : options.processes
const repeat = `--kills ${kills} --rounds ${rounds} --seed ${seed} --database ${engine} --processes ${processes}`
console.log(`chaos of deposits on ${engine}: npm run chaos:deposits -- ${repeat}`)

const postgresUrl = options['database-url']
const played = await runDepositRounds({
  ...{ engine, seed, rounds, postgresUrl },
  onRound: (done) => {
    if (done % 50 === 0) console.log(`${done} of ${rounds} rounds`)
  },
})
console.log(
  `${played.rounds} rounds, ${played.payments} payments, ${played.claims} claims, ${played.byBalance} deposits by ` +
    `balance, ${played.matched} payments matched with one`,
)
const killed =
  kills === 0
    ? null
    : await runDepositChaos({
        ...{ engine, seed, kills, processes, postgresUrl },
        onKill: (done) => {
          if (done % 10 === 0) console.log(`${done} of ${kills} kills`)
        },
      })
if (killed !== null) console.log(`${killed.payments} transfers, ${killed.claims} claims answered`)
const differences = [...played.differences, ...(killed?.differences ?? [])]
for (const difference of differences) console.log(`DIFFERENCE  ${difference}`)
const isAuditClean = killed === null || killed.audit.code === 0
if (!isAuditClean) console.log(killed.audit.output)
const isClean = differences.length === 0 && isAuditClean
console.log(isClean ? 'Every promise was kept.' : `BROKEN. Repeat with: npm run chaos:deposits -- ${repeat}`)
process.exitCode = isClean ? 0 : 1
