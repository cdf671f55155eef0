/**
 * `npm run chaos`: kills gateways under load and compares what clients were told, the ledger and the upstream's
 * invoice; plays rounds in which networks, clocks, locks and processes fail; and kills gateways between the end of
 * videos and their charge. Exit code 1 on any difference.
 */
import { readOptions } from '../../packages/server/src/app/read-options.ts'
import { wholeNumber } from '../../packages/server/src/platform/runtime/program-options.ts'
import { seedOption, storageOptions } from '../rig/options.ts'
import { runVideoKills } from '../videos/run-video-kills.ts'
import { clusterOptions } from './cluster/cluster-options.ts'
import { missingForCluster } from './cluster/cluster-programs.ts'
import { isClusterClean, renderCluster, renderEvent } from './cluster/render-cluster.ts'
import { runCluster } from './cluster/run-cluster.ts'
import { isClean, renderReport } from './render-report.ts'
import { disturbances, DISTURBANCES_OF_SQLITE } from './rounds/disturbances.ts'
import { disturbancesOption } from './rounds/disturbances-option.ts'
import { areRoundsClean, renderRound, renderRounds } from './rounds/render-rounds.ts'
import { runRounds } from './rounds/run-rounds.ts'
import { runChaos } from './run-chaos.ts'

const options = readOptions({
  name: 'npm run chaos --',
  does: 'Breaks gateways under load and compares what clients were told, the ledger and the upstream’s invoice.',
  options: {
    kills: wholeNumber({ help: 'how often a gateway is killed', otherwise: 40 }),
    rounds: wholeNumber({ help: 'rounds in which a network, a clock, a lock or a process fails', otherwise: 20 }),
    first: wholeNumber({ help: 'number of the first round: with --rounds 1 one is played again', otherwise: 0 }),
    only: disturbancesOption,
    stages: wholeNumber({ help: 'rounds at a time, each on gateways of its own', otherwise: 2, from: 1 }),
    'video-kills': wholeNumber({ help: 'kills between the end of a video and its charge', otherwise: 50 }),
    clients: wholeNumber({ help: 'clients at a time', otherwise: 16, from: 1 }),
    processes: wholeNumber({ help: 'gateways at a time, on PostgreSQL', otherwise: 2, from: 1 }),
    seed: seedOption('decides clients, answers and moments of the kills'),
    ...clusterOptions,
    ...storageOptions,
  },
})
if (options.cluster) {
  const { events, setup, seed, rate, streams, logs } = options
  const missing = missingForCluster()
  if (missing.length > 0) {
    console.error(`A cluster cannot be started here. Missing: ${missing.join('; ')}.`)
    process.exit(1)
  }
  const repeat = `npm run chaos -- --cluster --setup ${setup} --seed ${seed} --rate ${rate} --streams ${streams}`
  console.log(`chaos of a cluster: ${repeat} --events ${events.join(',')}`)
  const report = await runCluster({
    ...{ seed, setup, events, rate, streams, logs },
    onEvent: (event) => console.log(renderEvent(event)),
  })
  console.log(renderCluster(report))
  process.exit(isClusterClean(report) ? 0 : 1)
}

const { kills, rounds, first, only, stages, seed, clients, database: engine, 'database-url': postgresUrl } = options
const videoKills = options['video-kills']
const processes = engine === 'sqlite' ? 1 : options.processes
const place = `--seed ${seed} --database ${engine} --processes ${processes} --clients ${clients}`
const among = only ?? (engine === 'sqlite' ? DISTURBANCES_OF_SQLITE : disturbances)
const onlyText = only === null ? '' : ` --only ${only.join(',')}`
console.log(
  `chaos on ${engine}: npm run chaos -- --kills ${kills} --rounds ${rounds} --video-kills ${videoKills} ${place}${onlyText}`,
)
let isKept = true

if (kills > 0) {
  const report = await runChaos({
    ...{ engine, seed, kills, clients, processes, postgresUrl },
    onKill: (done) => {
      if (done % 10 === 0) console.log(`${done} of ${kills} kills`)
    },
  })
  console.log(renderReport(report))
  const repeat = `npm run chaos -- --kills ${kills} --rounds 0 --video-kills 0 ${place}`
  console.log(isClean(report) ? 'Every promise was kept.' : `BROKEN. Repeat with: ${repeat}`)
  isKept &&= isClean(report)
}

if (rounds > 0) {
  const report = await runRounds({
    ...{ engine, seed, first, rounds, among, clients, processes, stages, postgresUrl },
    onRound: (round) => {
      console.log(renderRound(round))
      const again = `npm run chaos -- --kills 0 --video-kills 0 --rounds 1 --first ${round.round} ${place}${onlyText}`
      if (round.faults.length > 0) console.log(`        repeat with: ${again}`)
    },
  })
  console.log(renderRounds(report))
  isKept &&= areRoundsClean(report)
}

if (videoKills > 0) {
  const videos = await runVideoKills({ engine, seed, kills: videoKills, postgresUrl })
  console.log(`videos         ${videos.kills} kills between the end of a video and its charge`)
  console.log(
    `               ${videos.chargedBefore} charges were in the books by then, the rest came after the restart`,
  )
  console.log(`${videos.faults.length === 0 ? 'kept  ' : 'BROKEN'}  each video is charged once`)
  for (const fault of videos.faults) console.log(`        ${fault}`)
  isKept &&= videos.faults.length === 0
}
// Connections that a round has left without a word would keep this process for ever.
process.exit(isKept ? 0 : 1)
