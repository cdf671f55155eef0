/**
 * Composition root of the sweeper: `npm run sweep -- …`. It holds private keys, so it runs apart from the gateway, best
 * on another machine, and meets it in the database alone. Never imported.
 */
import { prepareProcess } from './app/prepare-process.ts'

prepareProcess(process.env, 'uses')
const { runSweeper } = await import('./app/run-sweeper.ts')
process.exitCode = await runSweeper(process.argv.slice(2))
