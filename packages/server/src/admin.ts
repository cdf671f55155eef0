/** Composition root of the operator commands: `npm run admin -- …`. Never imported. */
import { runAdminProcess } from './app/open-admin.ts'

await runAdminProcess(process.argv.slice(2))
