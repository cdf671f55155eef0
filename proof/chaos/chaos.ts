/**
 * `npm run chaos`: kills gateways under load and compares what clients were told, the ledger and the upstream's
 * invoice; then kills them between the end of videos and their charge. Exit code 1 on any difference.
 */
import { readOptions } from '../../packages/server/src/read-options.ts'
import { wholeNumber } from '../../packages/server/src/runtime/program-options.ts'
import { seedOption, storageOptions } from '../rig/options.ts'
import { isClean, renderReport } from './render-report.ts'
import { runVideoKills } from '../videos/run-video-kills.ts'
import { runChaos } from './run-chaos.ts'

const options = readOptions({
  name: 'npm run chaos --',
  does: 'Kills gateways under load and compares what clients were told, the ledger and the upstream’s invoice.',
  options: {
    kills: wholeNumber({ help: 'how often a gateway is killed', otherwise: 40 }),
    'video-kills': wholeNumber({ help: 'kills between the end of a video and its charge', otherwise: 50 }),
    clients: wholeNumber({ help: 'clients at a time', otherwise: 16, from: 1 }),
    processes: wholeNumber({ help: 'gateways at a time, on PostgreSQL', otherwise: 2, from: 1 }),
    seed: seedOption('decides clients, answers and moments of the kills'),
    ...storageOptions,
  },
})
const { kills, seed, clients, database: engine, 'database-url': postgresUrl } = options
const processes = engine === 'sqlite' ? 1 : options.processes
const repeat =
  `--kills ${kills} --video-kills ${options['video-kills']} --seed ${seed} --database ${engine} ` +
  `--processes ${processes} --clients ${clients}`
console.log(`chaos on ${engine}: npm run chaos -- ${repeat}`)

const report = await runChaos({
  ...{ engine, seed, kills, clients, processes },
  postgresUrl,
  onKill: (done) => {
    if (done % 10 === 0) console.log(`${done} of ${kills} kills`)
  },
})
console.log(renderReport(report))
console.log(isClean(report) ? 'Every promise was kept.' : `BROKEN. Repeat with: npm run chaos -- ${repeat}`)

const videos = await runVideoKills({ engine, seed, kills: options['video-kills'], postgresUrl })
console.log(`videos         ${videos.kills} kills between the end of a video and its charge`)
console.log(`               ${videos.chargedBefore} charges were in the books by then, the rest came after the restart`)
console.log(`${videos.faults.length === 0 ? 'kept  ' : 'BROKEN'}  each video is charged once`)
for (const fault of videos.faults) console.log(`        ${fault}`)
process.exitCode = isClean(report) && videos.faults.length === 0 ? 0 : 1
