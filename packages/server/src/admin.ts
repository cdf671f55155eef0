/** Composition root of the operator commands: `npm run admin -- …`. Never imported. */
import { prepareProcess } from './app/prepare-process.ts'

prepareProcess(process.env, 'uses')
const { runAdminProcess } = await import('./app/run-admin.ts')
await runAdminProcess(process.argv.slice(2))
