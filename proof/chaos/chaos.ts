/**
 * `npm run chaos -- --kills N --video-kills V --seed S --database sqlite|postgres --processes P --clients C
 * --database-url URL`
 *
 * Kills gateways under load and compares what clients were told, the ledger and the upstream's invoice; then kills them
 * between the end of videos and their charge. Exit code 1 on any difference.
 */
import { freshSeed, readOptions } from '../rig/options.ts'
import { isClean, renderReport } from './render-report.ts'
import { runVideoKills } from '../videos/run-video-kills.ts'
import { runChaos } from './run-chaos.ts'

const options = readOptions({
  kills: '40',
  seed: freshSeed(),
  database: 'sqlite',
  processes: '2',
  clients: '16',
  'video-kills': '50',
  'database-url': null,
})
const engine = options.text('database') === 'postgres' ? 'postgres' : 'sqlite'
const [kills, seed, clients] = [options.number('kills'), options.number('seed'), options.number('clients', 1)]
const processes = engine === 'sqlite' ? 1 : options.number('processes', 1)
const repeat = `--kills ${kills} --seed ${seed} --database ${engine} --processes ${processes} --clients ${clients}`
console.log(`chaos on ${engine}: npm run chaos -- ${repeat}`)

const report = await runChaos({
  ...{ engine, seed, kills, clients, processes },
  postgresUrl: options.text('database-url'),
  onKill: (done) => {
    if (done % 10 === 0) console.log(`${done} of ${kills} kills`)
  },
})
console.log(renderReport(report))
console.log(isClean(report) ? 'Every promise was kept.' : `BROKEN. Repeat with: npm run chaos -- ${repeat}`)

const videoKills = options.number('video-kills')
const videos = await runVideoKills({ engine, seed, kills: videoKills, postgresUrl: options.text('database-url') })
console.log(`videos         ${videos.kills} kills between the end of a video and its charge`)
console.log(`               ${videos.chargedBefore} charges were in the books by then, the rest came after the restart`)
console.log(`${videos.faults.length === 0 ? 'kept  ' : 'BROKEN'}  each video is charged once`)
for (const fault of videos.faults) console.log(`        ${fault}`)
process.exitCode = isClean(report) && videos.faults.length === 0 ? 0 : 1
