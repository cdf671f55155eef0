/** Composition root of the operator commands: `npm run admin -- …`. Nobody imports it. */
import { runAdminProcess } from './app/open-admin.ts'

await runAdminProcess(process.argv.slice(2))
