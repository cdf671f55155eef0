/** Composition root of the operator commands: `npm run admin -- …`. Never imported. */
import { runAdminProcess } from './app/run-admin.ts'

await runAdminProcess(process.argv.slice(2))
